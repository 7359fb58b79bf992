// Keys of issuers, from statements of the fetcher that the API tier holds back and reorders. A statement never replaces a newer one.
import fc from "fast-check"
import { Secret } from "../../../signer/core/crypto/secret.ts"
import type { VerificationKey } from "../../../signer/core/oidc/keys.ts"
import { IssuerKeyStore } from "../../../signer/enclave/execution/state/issuer-keys.ts"
import { newLedger } from "../../../signer/enclave/ledger/create-ledger.ts"
import type { Ledger } from "../../../signer/enclave/ledger/ledger.ts"
import { ledgerOver } from "../../../signer/enclave/ledger/over-store.ts"
import { openKeyring } from "../../../signer/enclave/provision/keyring.ts"
import { MemoryStorage, MemoryStore } from "../../signer/enclave/ledger/memory-store.ts"
import { seededBytes } from "../seeded.ts"
import { turns } from "../turns.ts"

export type IssuerStep =
  | { is: "state"; issuer: number }
  | { is: "show"; which: number }
  | { is: "find"; issuer: number }
  | { is: "pass"; ms: number }
  | { is: "restart" }

const issuer = fc.nat(1)
const step: fc.Arbitrary<IssuerStep> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ is: fc.constant("state" as const), issuer }) },
  { weight: 6, arbitrary: fc.record({ is: fc.constant("show" as const), which: fc.nat(1000) }) },
  { weight: 4, arbitrary: fc.record({ is: fc.constant("find" as const), issuer }) },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant("pass" as const),
      ms: fc.constantFrom(1, 60_000, 1_799_999, 3_600_000),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ is: "restart" as const }) },
)

export const issuerRuns = (maxLength: number): fc.Arbitrary<IssuerStep[]> =>
  fc.array(step, { minLength: 1, maxLength, size: "max" })

const LIFETIME_MS = 3_600_000
/** More turns than a write takes. */
const WRITE_TURNS = 6

type Statement = { issuer: number; fetchedAtMs: number }

/** @throws an error that names the step, and the rule that an answer contradicts */
export async function simulateIssuerKeys(seed: string, steps: readonly IssuerStep[]): Promise<void> {
  const keyring = openKeyring(Secret.moveFrom(Buffer.from(seededBytes(`${seed}, issuers`)(32))))
  const storage = new MemoryStorage(keyring.ledger.use(newLedger))
  const statements: Statement[] = []
  /** The newest statement about each issuer that was ever learned, and the newest that this process learned: keys are kept in memory only. */
  const [learned, held] = [new Map<number, Statement>(), new Map<number, Statement>()]
  let nowMs = Date.UTC(2026, 0, 1)
  let { ledger, store } = await open()

  async function open(): Promise<{ ledger: Ledger; store: IssuerKeyStore }> {
    const memory = new MemoryStore(storage)
    const tenure = await memory.takeOver()
    const terminate = (error: unknown): never => {
      throw error
    }
    const opened = keyring.ledger.use((key) => ledgerOver(memory, tenure, { key, terminate }))
    return { ledger: opened, store: new IssuerKeyStore(opened, keyring) }
  }

  function show({ issuer, fetchedAtMs }: Statement): void {
    if (nowMs >= fetchedAtMs + LIFETIME_MS) return
    const known = learned.get(issuer)
    const isOlder = known !== undefined && fetchedAtMs < known.fetchedAtMs
    const times = { fetchedAtMs, nowMs, untilMs: fetchedAtMs + LIFETIME_MS }
    const isLearned = store.learn(`https://${issuer}.example`, [keyOf(fetchedAtMs)], times)
    if (isLearned === isOlder)
      throw new Error(isOlder ? "an older statement was learned" : "a statement was not learned")
    if (isOlder) return
    learned.set(issuer, { issuer, fetchedAtMs })
    held.set(issuer, { issuer, fetchedAtMs })
  }

  function find(issuer: number): void {
    const known = held.get(issuer)
    const isLive = known !== undefined && nowMs < known.fetchedAtMs + LIFETIME_MS
    const found = store.find({ issuer: `https://${issuer}.example`, keyId: undefined }, nowMs)?.[0]?.keyId
    const expected = isLive ? keyOf(known.fetchedAtMs).keyId : undefined
    if (found !== expected) throw new Error(`an issuer's key is ${found}, not ${expected}`)
  }

  for (const [index, each] of steps.entries())
    try {
      if (each.is === "state") statements.push({ issuer: each.issuer, fetchedAtMs: nowMs })
      else if (each.is === "show" && statements.length > 0) show(statements[each.which % statements.length]!)
      else if (each.is === "find") find(each.issuer)
      else if (each.is === "pass") nowMs += each.ms
      else if (each.is === "restart") {
        await turns(WRITE_TURNS)
        await ledger.close()
        ;({ ledger, store } = await open())
        held.clear()
      }
    } catch (cause) {
      throw new Error(`step ${index}: ${(cause as Error).message}`, { cause })
    }
  await ledger.close()
}

/** A key whose id names its statement. */
const keyOf = (fetchedAtMs: number) => ({ keyId: String(fetchedAtMs) }) as VerificationKey
