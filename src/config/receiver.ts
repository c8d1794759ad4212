import { z } from 'zod';
import { Pointer } from '../json/pointer_schema.ts';
import { Secret } from './secret.ts';
import { WebhookUrl } from './values.ts';

/** The kinds of events that a receiver can choose. */
export const EVENTS = ['new', 'changed', 'gone', 'health'] as const;

const WebhookSecret = z
  .string()
  .regex(
    /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/,
    'must be whsec_ followed by 24 to 64 bytes in Base64; `openssl rand -base64 32` creates them',
  )
  .transform((text) => new Secret(text));

export const Receiver = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must consist of letters, digits, ".", "_" and "-"')
      .describe('name of the receiver'),
    webhook: z
      .strictObject({
        url: WebhookUrl.describe('URL that receives a POST request'),
        secret: WebhookSecret.describe('secret that signs the requests: whsec_ followed by Base64'),
        allow_private: z.boolean().default(false).describe('permit http and private addresses'),
      })
      .exactOptional()
      .describe('webhook that follows Standard Webhooks'),
    command: z
      .array(z.string().min(1))
      .min(1)
      .exactOptional()
      .describe('program with arguments, which receives JSON'),
    mail: z
      .strictObject({
        to: z.email().describe('recipient'),
        from: z.email().describe('sender'),
        sendmail: z.string().min(1).default('/usr/sbin/sendmail').describe('program that sends the mail'),
      })
      .exactOptional()
      .describe('mail through sendmail'),
    events: z
      .array(z.enum(EVENTS))
      .min(1)
      .default([...EVENTS])
      .describe('kinds of events'),
    watchlist: z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe('file with entity ids; null means all companies'),
    fields: z.array(Pointer).nullable().default(null).describe('JSON paths of fields; null means all fields'),
  })
  .superRefine(({ webhook, command, mail }, ctx) => {
    const ways = [webhook, command, mail].filter((way) => way !== undefined).length;
    if (ways !== 1) ctx.addIssue('must have exactly one of webhook, command and mail');
    if (webhook?.url.protocol === 'http:' && !webhook.allow_private)
      ctx.addIssue({
        code: 'custom',
        path: ['webhook', 'url'],
        message: 'must begin with https://',
        params: { remedy: 'set allow_private: true for a receiver in your own network' },
      });
  });
export type Receiver = z.output<typeof Receiver>;
