import { createRedisMock } from 'js-redis-server';

/** The server in JavaScript, in a process of its own so that it can be killed: `node js_redis.ts PORT`. */
await createRedisMock({ port: Number(process.argv[2]) });
