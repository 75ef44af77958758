import { hrefOf } from '../route.ts';
import { Charts } from './overview/charts.tsx';
import { Figures } from './overview/figures.tsx';
import { Recent, Running } from './overview/lately.tsx';
import { Problems } from './overview/problems.tsx';
import { PastMoment } from './overview/past-moment.tsx';
import { Promises } from './overview/promises.tsx';
import { RangeChoice } from './overview/ranges.tsx';
import { Weeks } from './overview/weeks.tsx';

/** How the platform is doing. Each part loads by itself: none waits for the slowest. */
export function OverviewPage() {
  return (
    <>
      <div class="head">
        <h1>Overview</h1>
        <div class="row">
          <a href={hrefOf(['failures'])}>Failures by cause</a>
          <RangeChoice />
        </div>
      </div>
      <Figures />
      <Problems />
      <Charts />
      <PastMoment />
      <div class="grid halves two">
        <Running />
        <Recent />
        <Weeks />
        <Promises />
      </div>
    </>
  );
}
