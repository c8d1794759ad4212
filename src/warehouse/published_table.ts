export interface PublishedTable {
  /** `entity__…` represents every table made from a list in the record. */
  readonly name: string;
  readonly kind: 'table' | 'view';
  /** What one row describes, in Markdown; null if the view has exactly one row. */
  readonly rowPer: string | null;
  /** What the table is for, in Markdown. */
  readonly use: string;
  /** The description for Datasette. */
  readonly description: string;
  /** The column by which Datasette sorts, largest value first. */
  readonly sortDescendingBy?: string;
  readonly columns: readonly PublishedColumn[];
}

export interface PublishedColumn {
  readonly name: string;
  /** What the column means, in Markdown and without a full stop. */
  readonly meaning: string;
  readonly unit?: 'day';
  /** True if the column exists only in the tables that need it. */
  readonly isOptional?: true;
}
