/** This program's version. A test checks that package.json has the same version. */
export const VERSION = '0.1.0';
