import { systemClock } from '../clock.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';
import { type Context, openContext, type SharedFlags } from './context.ts';

/** Opens the configured warehouse, calls `work`, and closes the warehouse. */
export async function withWarehouse(
  flags: SharedFlags,
  access: 'read' | 'write',
  work: (warehouse: Warehouse, context: Context) => void | Promise<void>,
): Promise<void> {
  const context = await openContext(flags);
  const { warehouse: path } = context.config;
  const warehouse = openWarehouse({ path, readonly: access === 'read', nowMs: systemClock.now() });
  try {
    await work(warehouse, context);
  } finally {
    warehouse.close();
  }
}
