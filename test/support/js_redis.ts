import { createRedisMock } from 'js-redis-server';

/** Redis in JavaScript, which runs in its own process so that a test can kill it: `node js_redis.ts PORT`. */
await createRedisMock({ port: Number(process.argv[2]) });
