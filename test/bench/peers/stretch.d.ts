export function stretch(order: { readonly warmUpMs?: number; readonly measuredMs?: number }): {
  calls: number;
};
