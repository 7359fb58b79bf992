// An earlier copy of the sealed file, put in the place of the newest one: the ledger knows of a newer one.
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { casesOf, isLong } from "../../../harness/long.ts"
import t, { type Test } from "tap"
import type { BootedSigner } from "../../../../signer/enclave/booted-signer.ts"
import { boot } from "../../../../signer/enclave/boot.ts"
import { createLedgerOf } from "../../../../signer/enclave/create-deployment.ts"
import { operatorHandlers, unlockHandlers } from "../../../../signer/enclave/rpc/index.ts"
import { Secret } from "../../../../signer/core/crypto/secret.ts"
import { holdersOf } from "../../../../signer/core/sealed-seed/holders.ts"
import { ceremony, changeShares } from "../../../../signer/operator/ceremony/ceremony.ts"
import {
  acceptSeal,
  changeDaily,
  changeHolders,
  changeWitnesses,
  leaveProduction,
} from "../../../../signer/operator/ceremony/change-file.ts"
import { nextRevision } from "../../../../signer/operator/ceremony/revision.ts"
import { storeRootSeed } from "../../../../signer/process/root-seed.ts"
import { TestClock } from "../../../harness/clock.ts"
import { holders as newHolders } from "../../../harness/holder-keys.ts"
import { newWitnessKey, witnessSettingsOf } from "../../../harness/witness-keys.ts"
import { readConfig } from "../../../../signer/enclave/config.ts"
import { CEREMONY } from "./holders.ts"
import { CHANGE, hexes, PASSPHRASE, sealedDeployment } from "./sealed-deployment.ts"

const OLDER = { name: "halted", code: "SEAL_OLDER" }

async function setup(t: Test) {
  const deployment = await sealedDeployment(t, { isProduction: true })
  const config = { ...deployment.config, isProduction: true }
  const ways = { unlock: deployment.unlock }
  const start = (own: Partial<typeof config> = {}) => {
    const signer = boot(
      { ...config, ...own },
      {
        clock: new TestClock(),
        terminate: (error) => {
          throw error
        },
      },
    )
    t.teardown(() => signer.close())
    return signer
  }
  /** The phase of a start that is unlocked, and ended. */
  const phaseOf = async (own: Partial<typeof config> = {}) => {
    const signer = start(own)
    if (signer.phase().name === "sealed") await ways.unlock(signer)
    const phase = signer.phase()
    await signer.close()
    return phase
  }
  const read = () => readFileSync(config.seedFile)
  const put = (file: Uint8Array) => writeFileSync(config.seedFile, file)
  return { ...deployment, config, start, phaseOf, read, put, ways }
}

async function unlockByPassphrase(signer: BootedSigner) {
  const value = Buffer.from(PASSPHRASE)
  await unlockHandlers.unlock({ evidence: { case: "passphrase", value } } as never, signer)
}

/** Runs a command when the host's clock is an hour ahead. */
async function anHourLater(t: Test, run: () => Promise<unknown>) {
  const { now } = Date
  t.teardown(() => (Date.now = now))
  Date.now = () => now() + 60 * 60 * 1000
  await run()
  Date.now = now
}

t.test(
  "W141: a file from before a change by holders or shares is refused once the newer one was used",
  async (t) => {
    const later = hexes(newHolders(3))
    const by = "passphrase" as const
    const changes: {
      readonly [title: string]: (own: Awaited<ReturnType<typeof setup>>) => Promise<unknown>
    } = {
      "holders, by shares": ({ config, present }) =>
        changeHolders({ ...CHANGE, holders: later }, config, present(1, 2)),
      "witnesses, by approvals": async ({ config, present, approve, keys, directory }) => {
        const settings = witnessSettingsOf([newWitnessKey("one")])
        const next = readConfig({ COUNTERSIGN_DATA_DIR: directory, ...settings })
        const approvals = await approve({ act: "change-witnesses" }, keys, next)
        await changeWitnesses({ ...CHANGE, by, approvals }, next, present())
        Object.assign(config, { witnesses: next.witnesses })
      },
      "production, by approvals": async ({ config, present, approve, keys }) => {
        const approvals = await approve({ act: "leave-production" }, keys)
        return leaveProduction({ ...CHANGE, by, approvals }, config, present())
      },
      shares: async ({ config, present, approve, keys, ways }) => {
        // The passphrase opens the files of both sets.
        ways.unlock = unlockByPassphrase
        const approvals = await approve({ act: "change-shares", shares: 3, threshold: 2 }, keys)
        const command = { ...CEREMONY, shares: 3, threshold: 2, usesPassphrase: true, approvals }
        const at = present(1, 2)
        const ask = at.ask.bind(at)
        at.ask = (question: string) =>
          /^Passphrase|^The same/.test(question) ? Promise.resolve(PASSPHRASE) : ask(question)
        return changeShares(command, config, at)
      },
    }
    for (const [title, change] of casesOf(2, Object.entries(changes))) {
      const own = await setup(t)
      const { start, phaseOf, read, put, ways } = own
      t.not((await phaseOf()).name, "halted", title)
      const earlier = read()
      await change(own)
      t.not((await phaseOf()).name, "halted", `${title}: the new file`)
      const newest = read()
      put(earlier)
      const signer = start()
      if (signer.phase().name === "sealed") await ways.unlock(signer)
      const { code } = signer.phase() as { code?: string }
      t.match(
        ["SEAL_OLDER", ...(title.startsWith("witnesses") ? ["WITNESSES_CHANGED"] : [])],
        new Set([code]),
        title,
      )
      const { explanation } = await operatorHandlers.getStatus({}, signer)
      if (code === "SEAL_OLDER") t.match(explanation, /accept-seal/)
      put(newest)
      await unlockHandlers.lock({}, signer)
      await ways.unlock(signer)
      t.not(signer.phase().name, "halted", `${title}: after the newest file is back`)
    }
  },
)

t.test("W141: an earlier file is not lifted by a daily way, nor by the holders that it names", async (t) => {
  const { config, keys, present, approve, phaseOf, read, put } = await setup(t)
  const earlier = read()
  await anHourLater(t, () =>
    changeHolders({ ...CHANGE, holders: hexes(newHolders(3)) }, config, present(1, 2)),
  )
  await phaseOf()
  put(earlier)
  const asking = present()
  const ask = asking.ask.bind(asking)
  asking.ask = (question: string) =>
    /^Passphrase|^The same/.test(question) ? Promise.resolve(PASSPHRASE) : ask(question)
  const daily = { ...CHANGE, by: "passphrase" as const, usesPassphrase: true }
  for (let tries = 0; tries < (isLong ? 2 : 1); tries += 1) await changeDaily(daily, config, asking)
  t.match(await phaseOf(), OLDER)
  const approvals = await approve({ act: "leave-production" }, keys)
  await leaveProduction({ ...CHANGE, by: "passphrase", approvals }, config, present())
  t.match(await phaseOf(), OLDER, "holders who were replaced by shares lift nothing")
})

t.test("W141: holders who were replaced never reach the revision that replaced them", async (t) => {
  const enrolled = nextRevision(0n, "shares", 9_000)
  const replaced = nextRevision(enrolled, "shares", 9_000)
  let reached = enrolled
  const approve = () => (reached = nextRevision(reached, "approvals"))
  for (let changes = 1; changes < 2 ** 20; changes += 1) approve()
  t.throws(approve, { status: 3, message: /change it by shares/ })
  t.ok(reached < replaced, "a second later, and with all approvals that a file counts")
})

t.test("a signer that halts after it opened its ledger leaves nothing open", async (t) => {
  const { config, start, phaseOf, seed, put, read, unlock } = await setup(t)
  await phaseOf()
  const sealed = read()
  storeRootSeed(config.seedFile, Secret.copyOf(seed))
  for (let starts = 0; starts < 2; starts += 1) {
    const halted = start({ isProduction: false })
    t.match(halted.phase(), OLDER)
    await halted.closeNow()
  }
  put(sealed)
  const next = join(config.ledgerDirectory, "log", "checkpoint.next")
  rmSync(next, { force: true })
  symlinkSync("/dev/full", next)
  const signer = start()
  await unlock(signer)
  t.match(signer.phase(), { name: "halted", code: "LEDGER_FULL" })
  rmSync(next)
  await unlockHandlers.lock({}, signer)
  await unlock(signer)
  t.not(signer.phase().name, "halted", "there is room, and the ledger is not in use")
})

t.test(
  "W141: where the newest file is lost, shares accept an earlier one, and a daily way does not",
  async (t) => {
    const { config, keys, present, phaseOf, read, put, sealed, openByTwo, seed } = await setup(t)
    const earlier = read()
    await changeHolders({ ...CHANGE, holders: hexes(newHolders(3)) }, config, present(1, 2))
    await phaseOf()
    put(earlier)
    t.match(await phaseOf(), OLDER)
    await t.rejects(acceptSeal(CHANGE, config, present(1)), { message: /nothing was changed/ })
    t.match(await phaseOf(), OLDER)
    t.match(await acceptSeal(CHANGE, config, present(1, 3)), {
      lines: [/is the newest one now/, `Holder 1: ${keys[0]?.hex}`],
    })
    t.not((await phaseOf()).name, "halted")
    t.strictSame(await openByTwo(), seed)
    t.strictSame(holdersOf(sealed().header)?.publicKeys.length, 3)
  },
)

t.test(
  "W141: a plain file in the place of a sealed one is refused, also outside of production",
  async (t) => {
    const { config, start, phaseOf, seed, present } = await setup(t)
    await phaseOf()
    storeRootSeed(config.seedFile, Secret.copyOf(seed))
    t.match(await phaseOf({ isProduction: false }), OLDER)
    await ceremony({ ...CEREMONY, shares: 3, threshold: 2 }, config, present())
    t.equal(start().phase().name, "sealed")
  },
)

t.test("C-1774: a lost ledger locks nobody out, and does not notice an earlier file", async (t) => {
  const { config, present, phaseOf, read, put, seed } = await setup(t)
  const earlier = read()
  await changeHolders({ ...CHANGE, holders: hexes(newHolders(3)) }, config, present(1, 2))
  await phaseOf()
  put(earlier)
  t.match(await phaseOf(), OLDER)
  renameSync(config.ledgerDirectory, `${config.ledgerDirectory}.lost`)
  createLedgerOf(Secret.copyOf(seed), config)
  t.not((await phaseOf()).name, "halted")
})

t.test("revisions: shares reach past a lost file, and neither goes back", async (t) => {
  const at = (seconds: bigint) => seconds << 20n
  t.equal(nextRevision(at(5n), "approvals", 0), at(5n) + 1n)
  t.equal(nextRevision(at(5n) + 7n, "daily", 9_000), at(5n) + 7n)
  t.equal(nextRevision(at(5n) + 7n, "shares", 9_000), at(9n))
  t.equal(nextRevision(at(9n) + 7n, "shares", 9_000), at(10n))
  t.equal(
    nextRevision(1_790_000_000n, "shares", 9_000),
    at(1_708n),
    "a file of a release that counted seconds",
  )
  const last = at(5n) + (1n << 20n) - 1n
  t.equal(nextRevision(last - 1n, "approvals", 0), last)
  t.throws(() => nextRevision(last, "approvals", 9_000), {
    status: 3,
    message:
      /this file counts no more changes with approvals: change it by shares, without --by. Nothing was changed/,
  })
  t.equal(nextRevision(last, "shares", 9_000), at(9n))
})
