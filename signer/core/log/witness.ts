import { counted } from "../counted.ts"
import { readAddCheckpoint } from "./add-checkpoint.ts"
import { type Checkpoint, readCheckpoint } from "./checkpoint.ts"
import { EMPTY_ROOT } from "./merkle.ts"
import { readNote, signNote, verifyNote, writeSignatureLine } from "./note.ts"
import type { NoteKey, NoteSigner } from "./note-key.ts"
import { isEqual } from "./proofs.ts"
import { isConsistent } from "./verify-proofs.ts"

// The decisions of a witness (C2SP tlog-witness): it cosigns a head only if that continues the last one that it cosigned.

/** The last head of a log that a witness cosigned, with its note as evidence. */
export type CosignedHead = { readonly size: number; readonly root: Uint8Array; readonly note: Uint8Array }

/** The heads that a witness cosigned, by the origin of their log. They survive crashes of process and host. */
export type CosignedHeads = {
  read(origin: string): CosignedHead | undefined
  /**
   * Replaces the head of a log, durably, if it still has `oldSize` leaves; 0: if there is none. False: it has another size, and nothing
   * was changed.
   */
  advance(origin: string, oldSize: number, head: CosignedHead): boolean
}

/** A reply as HTTP has it. */
export type WitnessReply = { readonly status: number; readonly type: string; readonly text: string }

export type WitnessParts = {
  /** Keys of the logs that this witness knows: the name of each is its log's origin. */
  readonly logs: readonly NoteKey[]
  readonly signer: NoteSigner
  readonly heads: CosignedHeads
  readonly nowMs: () => number
}

const SIZE_TYPE = "text/x.tlog.size"

/** Answers add-checkpoint. A head that is cosigned is durable before the reply exists. */
export function addCheckpoint(body: Uint8Array, { logs, signer, heads, nowMs }: WitnessParts): WitnessReply {
  const request = readAddCheckpoint(body)
  const note = request && readNote(request.note)
  const checkpoint = note && readCheckpoint(note.text)
  if (request === undefined || note === undefined || checkpoint === undefined)
    return refusal(
      400,
      "the body is no request to add a checkpoint: write old <size>, the proof's hashes, an empty line, the note",
    )
  const keys = logs.filter(({ name }) => name === checkpoint.origin)
  if (keys.length === 0)
    return refusal(404, "this witness does not know a log of this origin; its operator adds the log's key")
  const signatures = verifyNote(note, keys)
  if (signatures === undefined || signatures.length === 0)
    return refusal(403, "no key that this witness has of the log signed the checkpoint")
  const { oldSize, proof } = request
  if (oldSize > checkpoint.size) return refusal(400, "the old size is larger than the checkpoint's")
  const known = heads.read(checkpoint.origin)
  if (oldSize !== (known?.size ?? 0)) return conflict(known)
  const fault = faultOf(checkpoint, known, proof)
  if (fault !== undefined) return fault
  const isNew = known === undefined || checkpoint.size > known.size
  const { size, root } = checkpoint
  if (
    isNew &&
    !heads.advance(checkpoint.origin, oldSize, { size, root, note: Uint8Array.from(request.note) })
  )
    return conflict(heads.read(checkpoint.origin))
  const line = writeSignatureLine(signNote(signer, note.text, Math.floor(nowMs() / 1000)))
  return { status: 200, type: "text/plain; charset=utf-8", text: line }
}

/** A head that does not continue the known one. Undefined: it does. */
function faultOf(
  checkpoint: Checkpoint,
  known: CosignedHead | undefined,
  proof: readonly Uint8Array[],
): WitnessReply | undefined {
  const old = known ?? { size: 0, root: EMPTY_ROOT }
  // A second root of one size is a fork, whatever the proof says.
  if (known !== undefined && checkpoint.size === known.size && !isEqual(checkpoint.root, known.root))
    return conflict(known)
  const hasRoot = checkpoint.size > 0 || isEqual(checkpoint.root, EMPTY_ROOT)
  if (hasRoot && isConsistent(old, checkpoint, proof)) return undefined
  return refusal(
    422,
    `the proof does not show that this log continues the one of ${counted(old.size, "leaf", "leaves")} that this witness cosigned`,
  )
}

function conflict(known: CosignedHead | undefined): WitnessReply {
  return { status: 409, type: SIZE_TYPE, text: `${known?.size ?? 0}\n` }
}

function refusal(status: number, sentence: string): WitnessReply {
  return { status, type: "text/plain; charset=utf-8", text: `${sentence}\n` }
}
