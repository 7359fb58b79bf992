import type { SeriesName } from "./series.ts"

/** Result of one measured window; CPU time in microseconds for each request or operation. */
export type Measurement = {
  perSecond: number
  /** Share of the machine's CPU time that went to processes not under measurement. */
  othersShare?: number
  p50Ms?: number
  p99Ms?: number
  cpuUs?: Partial<Record<"api" | "signer" | "postgres" | "peer" | "load" | "floor", number>>
  residentMiB?: Partial<Record<"api" | "signer" | "postgres" | "peer", number>>
  proportionalMiB?: Partial<Record<"api" | "signer" | "postgres" | "peer", number>>
}

/** One measurement of everything: ratios are taken within it, so that a slow minute slows both sides. */
export type Round = Partial<Record<SeriesName, Measurement>>

export type Goal = {
  id: string
  /** Numerator and denominator. */
  says: string
  needs: readonly SeriesName[]
  /** Side of the bound on which good values are. */
  better: "higher" | "lower"
  must: number
  goal: number | undefined
  ratio(round: Round): number
}

const rate = (round: Round, name: SeriesName) => round[name]?.perSecond ?? Number.NaN
const p50 = (round: Round, name: SeriesName) => round[name]?.p50Ms ?? Number.NaN
const p99 = (round: Round, name: SeriesName) => round[name]?.p99Ms ?? Number.NaN
const cpu = (round: Round, name: SeriesName, part: keyof NonNullable<Measurement["cpuUs"]>) =>
  round[name]?.cpuUs?.[part] ?? Number.NaN

/** Rate of one series divided by that of another. */
function rateRatio(
  above: SeriesName,
  below: SeriesName,
  rest: Pick<Goal, "id" | "says" | "must" | "goal">,
): Goal {
  const ratio = (round: Round) => rate(round, above) / rate(round, below)
  return { ...rest, needs: [above, below], better: "higher", ratio }
}

/** The goals that this bench can measure. `must` is reached by a release, `goal` is where it should go. */
export const goals: readonly Goal[] = [
  {
    id: "G1",
    says: "CPU of a signed request (API, signer, PostgreSQL) ÷ (2 P-256 verify + 1 libsecp256k1 sign)",
    needs: ["service at 64", "p256-verify", "libsecp256k1-sign"],
    better: "lower",
    must: 2.8,
    goal: 1.9,
    ratio: (round) =>
      (cpu(round, "service at 64", "api") +
        cpu(round, "service at 64", "signer") +
        cpu(round, "service at 64", "postgres")) /
      (2 * cpu(round, "p256-verify", "floor") + cpu(round, "libsecp256k1-sign", "floor")),
  },
  rateRatio("service at 64", "noble-sign", {
    id: "G2",
    says: "signed requests at 64 connections ÷ bare noble secp256k1 signatures on one core",
    must: 1.4,
    goal: 2.2,
  }),
  rateRatio("service at 64", "p256-verify", {
    id: "G3",
    says: "signed requests at 64 ÷ bare P-256 verifications of node:crypto on one core",
    must: 0.24,
    goal: 0.37,
  }),
  rateRatio("service at 64", "insert at 64", {
    id: "G4",
    says: "signed requests at 64 ÷ (node:http + one INSERT) at 64",
    must: 0.35,
    goal: 0.52,
  }),
  rateRatio("service at 64", "mono at 64", {
    id: "G5",
    says: "signed requests at 64 ÷ one process without isolation and with one verification",
    must: 0.6,
    goal: 0.85,
  }),
  {
    id: "G6",
    says: "p50 at 1 connection ÷ p50 of (node:http + one INSERT) at 1",
    needs: ["service at 1", "insert at 1"],
    better: "lower",
    must: 5,
    goal: 3.5,
    ratio: (round) => p50(round, "service at 1") / p50(round, "insert at 1"),
  },
  {
    id: "G7",
    says: "p99 ÷ p50 at 16 connections",
    needs: ["service at 16"],
    better: "lower",
    must: 5,
    goal: 3,
    ratio: (round) => p99(round, "service at 16") / p50(round, "service at 16"),
  },
  rateRatio("slow disk at 64", "service at 64", {
    id: "G11",
    says: "syncs of the database's disk 1 ms slower ÷ as it is, at 64",
    must: 0.85,
    goal: 0.97,
  }),
  rateRatio("service at 64", "external database at 64", {
    id: "G12",
    says: "embedded database ÷ an external PostgreSQL, at 64",
    must: 0.8,
    goal: 0.95,
  }),
  rateRatio("mtls at 64", "service at 64", {
    id: "G13",
    says: "signer over TCP with mutual TLS ÷ over a unix socket, at 64",
    must: 0.8,
    goal: 0.93,
  }),
  rateRatio("pipeline at 64", "pipeline without key cache at 64", {
    id: "G14 keys",
    says: "bare pipeline with parsed keys kept ÷ keys parsed for each stamp",
    must: 1.3,
    goal: undefined,
  }),
  rateRatio("pipeline at 64", "pipeline without batching at 64", {
    id: "G14 batching",
    says: "bare pipeline with batched inserts ÷ a transaction for each request",
    must: 1.3,
    goal: undefined,
  }),
  rateRatio("pipeline at 64", "pipeline without stream at 64", {
    id: "G14 stream",
    says: "bare pipeline over one stream ÷ a unary call for each request",
    must: 1.3,
    goal: undefined,
  }),
]
