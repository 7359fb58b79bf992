import { decisionRooms } from "./rooms/decision.ts"
import { executionRooms } from "./rooms/execution.ts"
import { ledgerRooms } from "./rooms/ledger.ts"
import { loginRooms } from "./rooms/logins.ts"
import type { Rooms } from "./rooms/room.ts"
import { stampRooms } from "./rooms/stamp.ts"
import { stateRooms } from "./rooms/state.ts"
import { votingRooms } from "./rooms/voting.ts"
import { webhookRooms } from "./rooms/webhooks.ts"

export type { Room } from "./rooms/room.ts"

/** The guards of the signer's processes and of the worker's deliveries. Each room needs under ten minutes on two cores. */
export const rooms: Rooms = {
  ...stampRooms,
  ...decisionRooms,
  ...ledgerRooms,
  ...executionRooms,
  ...loginRooms,
  ...stateRooms,
  ...votingRooms,
  ...webhookRooms,
}
