import { spawn } from 'node:child_process';
import type { Receiver } from '../config/receiver.ts';
import type { Attempted, Message } from './webhook.ts';

/** Runs a program and writes text to its standard input. Exit code 0 means that the program accepted the message. */
export function runProgram([program = '', ...args]: readonly string[], input: string): Promise<Attempted> {
  return new Promise((resolve) => {
    // This process's environment can include the registry key, so it is not passed on to the program.
    const child = spawn(program, args, {
      stdio: ['pipe', 'ignore', 'pipe'],
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-200);
    });
    const failed = (why: string) => resolve({ is: 'failed', why, isFinal: false });
    child.on('error', (error) => failed(error.message));
    child.on('close', (code, signal) => {
      if (code === 0) resolve({ is: 'delivered' });
      else failed(`${program} ended with ${code ?? signal}${said === '' ? '' : `: ${said.trim()}`}`);
    });
    // Ignore errors here, because a program may ignore its input. Only its exit code shows whether it succeeded.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

const TIMEOUT_MS = 60_000;

/** Sends a mail through the local sendmail program. */
export function sendMail(
  { to, from, sendmail }: NonNullable<Receiver['mail']>,
  { id }: Message,
  { subject, text }: { readonly subject: string; readonly text: string },
  date: Date,
): Promise<Attempted> {
  const mail = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: =?utf-8?B?${Buffer.from(subject).toString('base64')}?=`,
    `Date: ${date.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${id}@${from.split('@')[1] ?? 'localhost'}>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    'Auto-Submitted: auto-generated',
    '',
    ...(Buffer.from(text)
      .toString('base64')
      .match(/.{1,76}/g) ?? []),
    '',
  ];
  return runProgram([sendmail, '-t', '-i', '-f', from], mail.join('\n'));
}
