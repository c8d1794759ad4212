/** A `Host` header with the name or address of this machine. A website can make its own name resolve to 127.0.0.1. */
export const LOCAL_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;
