// Changes of a sealed file whose set of shares stays: holders, daily ways, production.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t from "tap"
import { holdersOf } from "../../../../signer/core/sealed-seed/holders.ts"
import { openByPassphrase } from "../../../../signer/core/sealed-seed/open.ts"
import { readPassphrase } from "../../../../signer/core/sealed-seed/passphrase.ts"
import { boot } from "../../../../signer/enclave/boot.ts"
import { readConfig } from "../../../../signer/enclave/config.ts"
import { createDeployment } from "../../../../signer/enclave/create-deployment.ts"
import { ceremony, changeShares } from "../../../../signer/operator/ceremony/ceremony.ts"
import {
  changeDaily,
  changeHolders,
  changeWitnesses,
  leaveProduction,
} from "../../../../signer/operator/ceremony/change-file.ts"
import { TestClock } from "../../../harness/clock.ts"
import { Holder, holders as newHolders } from "../../../harness/holder-keys.ts"
import { bytesOf } from "../../core/sealed-seed/sets.ts"
import { CEREMONY, Holders } from "./holders.ts"
import { CHANGE, hexes, PASSPHRASE, sealedDeployment } from "./sealed-deployment.ts"

t.test("W118: holders who lost their keys are enrolled again by a threshold of shares", async (t) => {
  const { config, sealed, present, openByTwo, seed } = await sealedDeployment(t)
  const later = newHolders(3)
  const before = readFileSync(config.seedFile)
  const tooFew = changeHolders({ ...CHANGE, holders: hexes(later) }, config, present(1))
  await t.rejects(tooFew, { message: /nothing was changed/ })
  t.strictSame(readFileSync(config.seedFile), before)
  const { lines } = await changeHolders({ ...CHANGE, holders: hexes(later) }, config, present(1, 3))
  t.match(lines, [/^2 of 3 holders approve acts/, `Holder 1: ${later[0]?.hex}`])
  const namesOf = () => holdersOf(sealed().header)?.publicKeys.map((key) => Buffer.from(key).toString("hex"))
  t.strictSame(namesOf(), hexes(later))
  t.strictSame(await openByTwo(), seed, "the same shares open the same seed")
  const one = new Holder()
  await changeHolders({ ...CHANGE, holders: [`2=${one.hex}`] }, config, present(2, 3))
  t.strictSame(namesOf(), hexes(later).with(1, one.hex))
  t.match(sealed().header.generation, 1)
})

t.test("W118: no daily way enrolls holders, whoever approves", async (t) => {
  const { config, keys, present, approve } = await sealedDeployment(t)
  const before = readFileSync(config.seedFile)
  const approvals = await approve({ act: "leave-production" }, keys)
  for (const by of ["passphrase", "command"] as const) {
    const change = { ...CHANGE, by, holders: hexes(newHolders(3)), approvals }
    await t.rejects(changeHolders(change, config, present()), { message: /by shares alone: leave --by out/ })
  }
  t.strictSame(readFileSync(config.seedFile), before)
})

t.test("W141: a change keeps what another command stored while holders gave their shares", async (t) => {
  const { config, keys, present, approve } = await sealedDeployment(t)
  const approvals = await approve({ act: "change-shares", shares: 3, threshold: 2 }, keys.slice(1))
  const before = readFileSync(config.seedFile)
  await changeHolders({ ...CHANGE, holders: hexes(newHolders(3)) }, config, present(1, 3))
  const later = readFileSync(config.seedFile)
  const meanwhile = () => {
    writeFileSync(config.seedFile, before)
    const at = present(1, 3)
    const ask = at.ask.bind(at)
    at.ask = (...question) => {
      writeFileSync(config.seedFile, later)
      return ask(...question)
    }
    return at
  }
  const refused = { status: 3, message: /another command replaced it\. Nothing was changed/ }
  await t.rejects(changeDaily(CHANGE, config, meanwhile()), refused)
  t.strictSame(readFileSync(config.seedFile), later)
  await t.rejects(changeHolders({ ...CHANGE, holders: hexes(newHolders(3)) }, config, meanwhile()), refused)
  t.strictSame(readFileSync(config.seedFile), later)
  const shares = { ...CEREMONY, shares: 3, threshold: 2, approvals }
  await t.rejects(changeShares(shares, config, meanwhile()), refused)
  t.strictSame(readFileSync(config.seedFile), later)
})

t.test("lists of holders that cannot be are refused, and nothing is asked", async (t) => {
  const { config, keys, present } = await sealedDeployment(t)
  const [one, two, three] = hexes(keys) as [string, string, string]
  const wrong: [string[], { code: string } | { message: RegExp }][] = [
    [[one, two], { code: "HOLDERS_IMPOSSIBLE" }],
    [[one, two, two], { code: "HOLDERS_IMPOSSIBLE" }],
    [[`2=${three}`], { code: "HOLDERS_IMPOSSIBLE" }],
    [[], { message: /needs --holder/ }],
    [["4=" + one], { message: /1 to 3/ }],
    [["0=" + one], { message: /1 to 3/ }],
    [[one, `2=${two}`, three], { message: /name one of the present holders/ }],
    [[one, two, "05" + three.slice(2)], { message: /neither a public key/ }],
    [[one, two, "/etc/hostname"], { message: /has no public key of P-256|neither a public key/ }],
  ]
  for (const [holders, fault] of wrong) {
    const at = present(1, 2)
    await t.rejects(changeHolders({ ...CHANGE, holders }, config, at), fault, holders.join(" "))
    t.strictSame(at.questions, [])
  }
  const ceremonial = { ...CEREMONY, shares: 3, threshold: 2 }
  await t.rejects(ceremony({ ...ceremonial, holders: [one] }, config, present()), {
    code: "HOLDERS_IMPOSSIBLE",
  })
  await t.rejects(ceremony({ ...ceremonial, holders: [`1=${one}`] }, config, present()), {
    message: /without a number/,
  })
})

t.test("C-1745: without enrolled holders, holders are enrolled by shares and by nothing else", async (t) => {
  const { config, present, sealed } = await sealedDeployment(t, {
    isEnrolled: false,
    own: { usesPassphrase: false },
  })
  const holders = hexes(newHolders(3))
  await t.rejects(changeHolders({ ...CHANGE, by: "passphrase", holders }, config, present()), {
    message: /holders are enrolled by shares alone/,
  })
  await changeHolders({ ...CHANGE, holders }, config, present(1, 2))
  t.equal(sealed().header.holderPublicKeys.length, 3)
})

t.test("W116: a change of shares needs shares, and approvals of the holders", async (t) => {
  const { config, keys, present, approve, sealed } = await sealedDeployment(t)
  const command = { ...CEREMONY, shares: 3, threshold: 3 }
  await t.rejects(changeShares(command, config, present(1, 2)), { code: "APPROVALS_NEEDED" })
  const text = { act: "change-shares", shares: 3, threshold: 3 } as const
  const approvals = await approve(text, keys.slice(1))
  await t.rejects(changeShares({ ...command, threshold: 2, approvals }, config, present(1, 2)), {
    code: "APPROVAL_OTHER_ACT",
  })
  await changeShares({ ...command, approvals }, config, present(1, 2))
  const { header } = sealed()
  t.match(header, { generation: 2, threshold: 3 })
  t.strictSame(hexesOf(header.holderPublicKeys), hexes(keys), "the holders stay")
  await t.rejects(changeShares({ ...command, approvals }, config, present(1, 2)), {
    code: "APPROVAL_FOREIGN",
  })
  await t.rejects(changeShares({ ...command, shares: 4 }, config, present(1, 2)), {
    message: /name the key of each/,
  })
})

t.test(
  "W116: a change of shares leaves setup codes to the holders, although no option says so",
  async (t) => {
    const { config, keys, present, approve, sealed } = await sealedDeployment(t, {
      own: { approvesSetupCodes: true, usesPassphrase: false },
    })
    const approvals = await approve({ act: "change-shares", shares: 3, threshold: 2 }, keys)
    await changeShares({ ...CEREMONY, shares: 3, threshold: 2, approvals }, config, present(1, 2))
    t.match(sealed().header, { generation: 2, setupCodesNeedApproval: true })
  },
)

const hexesOf = (keys: readonly Uint8Array[]) => keys.map((key) => Buffer.from(key).toString("hex"))

t.test("C-1748: daily ways are replaced by shares or a present way, and the shares stay", async (t) => {
  const { config, present, sealed, openByTwo, seed } = await sealedDeployment(t)
  const next = "another long passphrase"
  const asking = (...numbers: number[]) => {
    const at = present(...numbers)
    const ask = at.ask.bind(at)
    at.ask = (question: string) =>
      /^Passphrase|^The same/.test(question) ? Promise.resolve(next) : ask(question)
    return at
  }
  await changeDaily({ ...CHANGE, by: "passphrase", usesPassphrase: true }, config, asking())
  t.strictSame(bytesOf(await openByPassphrase(sealed(), readPassphrase(next))), seed)
  await t.rejects(openByPassphrase(sealed(), readPassphrase(PASSPHRASE)), { code: "PASSPHRASE_WRONG" })
  await t.rejects(changeDaily({ ...CHANGE, by: "passphrase" }, config, present()), {
    code: "PASSPHRASE_WRONG",
  })
  await t.rejects(changeDaily({ ...CHANGE, by: "command" }, config, present()), {
    message: /the daily command needs COUNTERSIGN_SIGNER_UNSEAL_COMMAND/,
  })
  t.match(await changeDaily(CHANGE, config, present(2, 3)), {
    lines: [/^daily ways: none/],
    json: { daily: [] },
  })
  await t.rejects(openByPassphrase(sealed(), readPassphrase(next)), { code: "SEED_SLOT_MISSING" })
  t.strictSame(await openByTwo(), seed)
})

t.test(
  "W120: a deployment that was sealed in production starts without it only after shares or holders say so",
  async (t) => {
    const { config, keys, present, approve } = await sealedDeployment(t, { isProduction: true })
    const start = (isProduction: boolean) =>
      boot(
        { ...config, isProduction },
        {
          clock: new TestClock(),
          terminate: (error) => {
            throw error
          },
        },
      )
    t.throws(() => start(false), {
      message: /is of a deployment in production, and COUNTERSIGN_PRODUCTION is not set/,
    })
    t.equal(start(true).phase().name, "sealed")
    const leave = { ...CHANGE, by: "passphrase" as const }
    await t.rejects(leaveProduction(leave, config, present()), { code: "APPROVALS_NEEDED" })
    const approvals = await approve({ act: "leave-production" }, keys.slice(0, 2))
    await leaveProduction({ ...leave, approvals }, config, present())
    t.equal(start(false).phase().name, "sealed")
    await t.rejects(leaveProduction(CHANGE, config, present(1, 2)), {
      message: /no deployment in production/,
    })
  },
)

t.test("W120: whoever clears the mark of production in the file damages it", async (t) => {
  const { config, sealed, openByTwo } = await sealedDeployment(t, { isProduction: true })
  const file = readFileSync(config.seedFile)
  const mark = Buffer.from([0x48, 1])
  const at = file.indexOf(mark)
  t.ok(at > 0, "field 9, true")
  writeFileSync(
    config.seedFile,
    Buffer.concat([file.subarray(0, at), Buffer.from([0x50, 1]), file.subarray(at + 2)]),
  )
  t.equal(sealed().header.production, false)
  await t.rejects(openByTwo(), { code: "SEALED_SEED_DAMAGED" })
})

t.test("changes need a sealed seed", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "cs-change-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const config = readConfig({ COUNTERSIGN_DATA_DIR: directory })
  for (const isStored of [false, true]) {
    if (isStored) createDeployment(config)
    for (const change of [changeHolders, changeDaily, changeWitnesses, leaveProduction])
      await t.rejects(change({ ...CHANGE, holders: ["a"] }, config, new Holders()), {
        message: /no sealed root seed/,
      })
  }
  t.ok(existsSync(config.seedFile))
})
