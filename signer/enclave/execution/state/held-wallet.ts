import type { Record } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { KeyCache, Wipeable } from "../../keys/cache.ts"
import { LastPaths } from "../../keys/derive/index.ts"

/** Keys in clear along one wallet's last paths, in the cache. `version`: the version of the wallet's record that was opened. */
export class HeldWallet implements Wipeable {
  readonly version: bigint
  readonly paths = new LastPaths()

  constructor(version: bigint) {
    this.version = version
  }

  wipe(): void {
    this.paths.wipe()
  }
}

/**
 * The paths of a wallet, empty for one that is not in the cache.
 *
 * @param name of the wallet in the cache
 * @param wallet its record, compared with the ledger before: keys kept for the same version come from the same seed
 */
export function lastPathsOf(
  name: string,
  { version }: Record,
  { heldWallets, nowMs }: { heldWallets: KeyCache<HeldWallet>; nowMs: number },
): LastPaths {
  const held = heldWallets.get(name, nowMs)
  if (held?.version === version) return held.paths
  const opened = new HeldWallet(version)
  heldWallets.set(name, opened, nowMs)
  return opened.paths
}
