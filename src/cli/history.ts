import { companyCommand } from './show.ts';

/** `history ID`: another name for `show ID --history`. */
export default () => companyCommand('history');
