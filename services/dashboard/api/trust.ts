// The deployment's pins in this browser, and the state that was verified with them.
import type { WholeActivityJson } from "../../common/activity-json.ts"
import { signal } from "@preact/signals"
import { get, query } from "./client.ts"
import { loadConfig, type PinsJson } from "./config.ts"
import type { ProofCheck } from "./verify.ts"

/**
 * `served`: the host of the page gave the pins. `chosen`: a person compared them in this browser. `none`: there are none, so
 * nothing is checked. `differ`: the API states other pins than this browser trusts.
 */
export type Trust = { state: "served" | "chosen" | "none" | "differ"; pins?: PinsJson; stated?: PinsJson }

export const trust = signal<Trust | undefined>(undefined)

const KEPT = "countersign.pins"

/** Compares the pins that the API states with those that this browser trusts. */
export async function readTrust(): Promise<void> {
  const [{ pins: served }, stated] = await Promise.all([
    loadConfig(),
    get<PinsJson>("/public/v1/pins").catch(() => undefined),
  ])
  const kept = readKept()
  const pins = served ?? kept
  if (pins === undefined) trust.value = { state: "none", ...(stated && { stated }) }
  else if (stated !== undefined && !isSame(pins, stated)) trust.value = { state: "differ", pins, stated }
  else trust.value = { state: served === undefined ? "chosen" : "served", pins, ...(stated && { stated }) }
}

/** Trusts these pins in this browser from now on: a person has compared their digest. */
export function choosePins(pins: PinsJson): void {
  localStorage.setItem(KEPT, JSON.stringify(pins))
  trust.value = { state: "chosen", pins, stated: pins }
}

function readKept(): PinsJson | undefined {
  try {
    return (JSON.parse(localStorage.getItem(KEPT) ?? "null") as PinsJson | null) ?? undefined
  } catch {
    return undefined
  }
}

function isSame(one: PinsJson, other: PinsJson): boolean {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return names.every((name) => (one[name] ?? "") === (other[name] ?? ""))
}

/** Checks an activity as it was shown, with the project's own verifier, which is loaded for it. */
export async function checkActivity(activity: WholeActivityJson): Promise<ProofCheck> {
  const { check } = await import("./verify.ts")
  const keys = [...new Set((activity.appProofs ?? []).map(({ publicKey }) => publicKey))]
  const bootProofs = await Promise.all(
    keys.map((ephemeralKey) =>
      query<{ bootProof: object }>("get_boot_proof", { ephemeralKey }).then(
        ({ bootProof }) => bootProof,
        () => undefined,
      ),
    ),
  )
  return check(
    activity,
    bootProofs.filter((proof) => proof !== undefined),
    trust.value?.pins,
  )
}
