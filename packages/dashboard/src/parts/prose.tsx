import { Ago } from './ago.tsx';
import { JobLink } from './job-link.tsx';

const UUID = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';
const TIME = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z';
const PARTS = new RegExp(`(${UUID}|${TIME}|\`[^\`]+\`)`, 'gi');

/** A sentence of the server's as people read it: times by their clock, ids as links. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(PARTS).map((part, index) => {
        if (index % 2 === 0) return part;
        if (part.startsWith('`')) return <code key={index}>{part.slice(1, -1)}</code>;
        return part.includes('T') ? (
          <Ago key={index} time={part} />
        ) : (
          <JobLink key={index} id={part} />
        );
      })}
    </>
  );
}
