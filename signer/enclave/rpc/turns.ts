import { TurnQueue } from "../../core/turns/turn-queue.ts"

/** Orders handled before the event loop is released: about a millisecond of signatures. */
const ORDERS_PER_TURN = 8

/** Orders that may wait for their turn; further ones are refused with SIGNER_BUSY. */
const MAX_WAITING_ORDERS = 4096

/** Orders of one organization that may wait, so that one cannot take all places. */
const MAX_WAITING_OF_ORGANIZATION = 1024

/** The queue of orders, which serves organizations in turn. */
export function newTurns(): TurnQueue {
  return new TurnQueue({
    perTurn: ORDERS_PER_TURN,
    max: MAX_WAITING_ORDERS,
    maxOfOwner: MAX_WAITING_OF_ORGANIZATION,
  })
}
