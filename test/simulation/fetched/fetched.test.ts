// One-time codes under an API tier that guesses, and issuers' keys under one that holds statements back. Injected faults must be found.
import fc from "fast-check"
import t from "tap"
import { IssuerKeyStore } from "../../../signer/enclave/execution/state/issuer-keys.ts"
import { CodeStore } from "../../../signer/fetcher/codes/store.ts"
import { isLong } from "../../harness/long.ts"
import { codeRuns, simulateCodes } from "./codes.ts"
import { issuerRuns, simulateIssuerKeys } from "./issuer-keys.ts"

const SEEDS = Array.from({ length: isLong ? 200 : 4 }, (_, index) => index + 1)
const STEPS = 200

const stepsOf = <S>(runs: fc.Arbitrary<S[]>, seed: number): S[] => fc.sample(runs, { seed, numRuns: 1 })[0]!

t.test(
  "O2: a code has three attempts and a contact three codes, whatever messages are sent and lost",
  async (t) => {
    for (const seed of SEEDS)
      await t.resolves(simulateCodes(String(seed), stepsOf(codeRuns(STEPS), seed)), `seed ${seed}`)
  },
)

t.test(
  "no statement about an issuer replaces a newer one, in whatever order statements arrive",
  async (t) => {
    for (const seed of SEEDS)
      await t.resolves(simulateIssuerKeys(String(seed), stepsOf(issuerRuns(STEPS), seed)), `seed ${seed}`)
  },
)

t.test("a message that leaves before its code is durable is noticed", async (t) => {
  const { whenDurable } = CodeStore.prototype
  t.teardown(() => {
    CodeStore.prototype.whenDurable = whenDurable
  })
  CodeStore.prototype.whenDurable = async () => {}
  await t.rejects(simulateCodes("1", stepsOf(codeRuns(STEPS), 1)), { message: /before its code was durable/ })
})

t.test("an older statement that is learned is noticed", async (t) => {
  const { learn } = IssuerKeyStore.prototype
  t.teardown(() => {
    IssuerKeyStore.prototype.learn = learn
  })
  IssuerKeyStore.prototype.learn = function (...statement) {
    learn.apply(this, statement)
    return true
  }
  const found = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((seed) =>
      simulateIssuerKeys(String(seed), stepsOf(issuerRuns(STEPS), seed)).catch(
        ({ message }: Error) => message,
      ),
    ),
  )
  t.match(found.join("\n"), /an older statement was learned/)
})
