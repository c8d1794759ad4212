/**
 * Matches a `Host` header that names this machine. A page from a website whose name resolves to 127.0.0.1 sends another
 * one.
 */
export const LOCAL_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;
