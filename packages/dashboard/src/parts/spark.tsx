interface Given {
  readonly values: readonly number[];
  readonly label: string;
}

const BAR = 5;
const HEIGHT = 22;

/** Small bars of a trend, the latest last. */
export function Spark({ values, label }: Given) {
  const most = Math.max(1, ...values);
  const width = values.length * BAR;
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT} role="img">
      <title>{label}</title>
      {values.map((value, index) => {
        const height = value === 0 ? 1 : Math.max(3, (HEIGHT * value) / most);
        return (
          <rect
            key={index}
            class={value === 0 ? 'none' : ''}
            x={index * BAR}
            y={HEIGHT - height}
            width={BAR - 1}
            height={height}
          />
        );
      })}
    </svg>
  );
}
