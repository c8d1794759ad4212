import { byWindowKey, limitsByProperty } from '../../src/allowance/window_table.ts';

/** No limit in any window. */
export const NO_LIMITS = limitsByProperty(byWindowKey(() => null));
