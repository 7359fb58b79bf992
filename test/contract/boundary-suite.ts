import type { Test } from "tap"
import type { Boundary } from "../harness/boundary.ts"
import { orders } from "./boundary/orders.ts"
import { schemes } from "./boundary/schemes.ts"
import { setupCodes } from "./boundary/setup-codes.ts"
import { users } from "./boundary/users.ts"
import { votes } from "./boundary/votes.ts"

/**
 * Contract of the signer at its boundary. Runs in-process and over mTLS alike.
 *
 * @param makeBoundary returns a boundary of its own or a shared one, and closes it
 */
export function boundarySuite(t: Test, makeBoundary: (t: Test) => Promise<Boundary>): void {
  for (const suite of [orders, schemes, users, votes, setupCodes]) suite(t, makeBoundary)
}
