import { printable } from '../../printable.ts';
import type { Exchange } from '../../probe/exchange.ts';
import type { ReportedFinding } from '../../probe/fields.ts';
import type { Specification } from '../../probe/openapi/specification.ts';
import { reportStatements } from '../../probe/report.ts';
import type { Output } from '../output.ts';

/** Prints one line for each call. The findings follow once, at the end. */
export function narrator(output: Output): (exchange: Exchange) => void {
  let calls = 0;
  return ({ request, status }) => {
    calls++;
    output.note(
      `${String(calls).padStart(2)}  ${output.style('dim', String(status ?? '---'))}  ${request.why}  ${output.style('dim', addressOf(request))}`,
    );
  };
}

export function findingLine(output: Output, { topic, value, certainty, because }: ReportedFinding): string {
  const colour = certainty === 'sure' ? 'green' : certainty === 'likely' ? 'yellow' : 'red';
  return `${topic}: ${output.style('bold', shown(value))} ${output.style(colour, `(${certainty})`)}  ${output.style('dim', because)}`;
}

function shown(value: ReportedFinding['value']): string {
  return value === null ? 'none' : value === '' ? 'the top of the body' : String(value);
}

function addressOf({ path, params }: Exchange['request']): string {
  const few = params.slice(0, 2).map(([name, value]) => `${name}=${value}`);
  const more = params.length > 2 ? `& ${params.length - 2} more` : '';
  return printable(`${path}${few.length === 0 ? '' : `?${few.join('&')}`}${more}`);
}

/** Lists the findings that an OpenAPI document states. */
export function statementsText(output: Output, specification: Specification): string {
  const lines = reportStatements(specification).map((statement) => `  ${findingLine(output, statement)}`);
  return [`From the OpenAPI document "${specification.title}":`, ...lines].join('\n');
}
