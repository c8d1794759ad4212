import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, expect, it } from 'vitest';
import { until, workplacesOverOneRedis } from '../support/worker.ts';

const workplace = workplacesOverOneRedis();
afterEach(() => trace.disable());

it.each([
  [true, ['poll-stats', 'sweep-search', 'fetch-entities']],
  [false, []],
])("with worker.tracing %s, the jobs' spans are %j", async (tracing, jobs) => {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  const place = await workplace({ overrides: { worker: { tracing } } });
  const worker = await place.startWorker();
  await until('all jobs are completed', async () => (await place.queue.getCompletedCount()) === 3);
  // A job's span ends after the job is completed in Redis. A stopped worker has ended all its spans.
  await worker.stop();
  const spans = exporter.getFinishedSpans().map(({ attributes }) => attributes['bullmq.job.name']);
  expect([...new Set(spans.filter((name) => name !== undefined))]).toEqual(jobs);
});
