/**
 * Matches a `Host` header that names this machine. If a website's name resolves to 127.0.0.1, its pages send that name
 * instead.
 */
export const LOCAL_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;
