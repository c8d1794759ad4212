/** A heap of one rate class's companies, earliest time first. The caller skips outdated entries at the top. */
export class AgeHeap {
  readonly #times: number[] = [];
  readonly #companies: number[] = [];

  push(company: number, time: number): void {
    let at = this.#times.length;
    this.#times.push(time);
    this.#companies.push(company);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if ((this.#times[above] as number) <= time) break;
      this.#move(above, at);
      at = above;
    }
    this.#times[at] = time;
    this.#companies[at] = company;
  }

  peek(): { readonly company: number; readonly time: number } | null {
    const [company] = this.#companies;
    const [time] = this.#times;
    return company === undefined || time === undefined ? null : { company, time };
  }

  pop(): void {
    const time = this.#times.pop();
    const company = this.#companies.pop();
    if (time === undefined || company === undefined || this.#times.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= this.#times.length) break;
      if (
        below + 1 < this.#times.length &&
        (this.#times[below + 1] as number) < (this.#times[below] as number)
      )
        below++;
      if ((this.#times[below] as number) >= time) break;
      this.#move(below, at);
      at = below;
    }
    this.#times[at] = time;
    this.#companies[at] = company;
  }

  #move(from: number, to: number): void {
    this.#times[to] = this.#times[from] as number;
    this.#companies[to] = this.#companies[from] as number;
  }
}
