/** Everything that is measured, in the order of one round. */
export const seriesNames = [
  "noble-sign",
  "libsecp256k1-sign",
  "p256-verify",
  "service at 1",
  "service at 16",
  "service at 64",
  "insert at 1",
  "insert at 64",
  "mono at 64",
  "slow disk at 64",
  "external database at 64",
  "mtls at 64",
  "pipeline at 64",
  "pipeline without key cache at 64",
  "pipeline without batching at 64",
  "pipeline without stream at 64",
] as const

export type SeriesName = (typeof seriesNames)[number]
export type AnchorName = Extract<SeriesName, "noble-sign" | "libsecp256k1-sign" | "p256-verify">
export type LoadName = Exclude<SeriesName, AnchorName>

export function isAnchor(name: SeriesName): name is AnchorName {
  return name === "noble-sign" || name === "libsecp256k1-sign" || name === "p256-verify"
}

/** "service at 64": which place, and over how many connections. */
export function readLoadName(name: string): { place: string; connections: number } {
  const [place = "", connections] = name.split(" at ")
  return { place, connections: Number(connections) }
}
