// The ceremony of shares, at a terminal of the test, with the files of a real deployment.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t, { type Test } from "tap"
import { readConfig } from "../../../../signer/enclave/config.ts"
import { createDeployment } from "../../../../signer/enclave/create-deployment.ts"
import { Secret } from "../../../../signer/core/crypto/secret.ts"
import { readSealedSeed } from "../../../../signer/core/sealed-seed/format.ts"
import { openByPassphrase, openByShares } from "../../../../signer/core/sealed-seed/open.ts"
import { readPassphrase } from "../../../../signer/core/sealed-seed/passphrase.ts"
import { readShare } from "../../../../signer/core/sealed-seed/share.ts"
import { readShareWords } from "../../../../signer/core/sealed-seed/share-words.ts"
import { ceremony, changeShares } from "../../../../signer/operator/ceremony/ceremony.ts"
import { readRootSeed } from "../../../../signer/process/root-seed.ts"
import { bytesOf, subsets } from "../../core/sealed-seed/sets.ts"
import { CEREMONY, Holders } from "./holders.ts"

const COMMAND = CEREMONY

function setup(t: Test) {
  const directory = mkdtempSync(join(tmpdir(), "cs-ceremony-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const config = readConfig({ COUNTERSIGN_DATA_DIR: directory })
  const file = config.seedFile
  const open = async (sheets: readonly string[]) => {
    const points = sheets.map((words) => readShareWords(words).use(readShare).point)
    return bytesOf(await openByShares(readSealedSeed(readFileSync(file)), points))
  }
  return { directory, config, file, open }
}

const filesIn = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted()

t.test("W62: a ceremony seals a plain seed: each 3 sheets of 5 open the same seed, no 2 do", async (t) => {
  const { config, file, open } = setup(t)
  const pins = createDeployment(config)
  const seed = bytesOf(readRootSeed(file))
  const holders = new Holders()
  const { lines, json } = await ceremony(COMMAND, config, holders)
  t.match(json, { deploymentId: pins.deploymentId, generation: 1, shares: 5, threshold: 3 })
  t.match(lines, [
    /3 of 5 shares open it, each was typed back/,
    /Destroy its copies/,
    /countersign-signer unlock/,
  ])
  const sheets = [...holders.sheets.values()]
  t.equal(sheets.length, 5)
  for (const three of subsets(sheets, 3)) t.strictSame(await open(three), seed)
  for (const two of subsets(sheets, 2)) await t.rejects(open(two), { code: "SHARES_WRONG" })
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.notOk(readFileSync(file).includes(Buffer.from(seed)))
  await t.rejects(ceremony(COMMAND, config, new Holders()), { message: /sealed already.*change-shares/ })
})

t.test(
  "a ceremony without a seed creates a deployment, and its sheets open what the ledger belongs to",
  async (t) => {
    const { config, open } = setup(t)
    const holders = new Holders()
    const { json } = await ceremony({ ...COMMAND, shares: 2, threshold: 2 }, config, holders)
    const seed = await open([...holders.sheets.values()])
    const { pinsOfSeed } = await import("../../../../signer/enclave/create-deployment.ts")
    t.match(json, { deploymentId: pinsOfSeed(Secret.copyOf(seed), config).deploymentId })
    t.ok(existsSync(join(config.ledgerDirectory, "ledger.sqlite")))
  },
)

t.test("W62: each share is typed back; a wrong one is named, and the holder types again", async (t) => {
  const { config, file } = setup(t)
  createDeployment(config)
  const tries: string[] = []
  const holders = new Holders((question, { sheets }) => {
    const [, number = "0"] = /words of share (\d)/.exec(question) ?? []
    if (number === "0") return undefined
    tries.push(question)
    const right = (sheets.get(Number(number)) ?? "").split(" ")
    const before = tries.filter((one) => one.includes(`share ${number}`)).length
    if (number === "2" && before === 1) return sheets.get(1)
    if (number === "3" && before === 1) return right.with(11, right[11] === "zoo" ? "zone" : "zoo").join(" ")
    if (number === "3" && before === 2) return right.with(4, "qwerty").join(" ")
    if (number === "4" && before === 1) return ""
    return undefined
  })
  await ceremony(COMMAND, config, holders)
  t.equal(tries.length, 9)
  t.match(tries, [
    /^Type the words of share 1 /,
    /^Type the words of share 2 /,
    /^this is share 1 of the signer, .*: take the other sheet\. Type the words of share 2 again/,
    /^Type the words of share 3 /,
    /^word 12 is wrong/,
    /^word 5 is not on the list/,
    /^Type the words of share 4 /,
    /^a share has 40 words, not 0/,
    /^Type the words of share 5 /,
  ])
  t.ok(readSealedSeed(readFileSync(file)))
})

t.test(
  "W62: words stand on the screen for their holder alone, and never while the next one is called",
  async (t) => {
    const { config } = setup(t)
    createDeployment(config)
    let calls = 0
    const holders = new Holders()
    const inner = holders.ask.bind(holders)
    holders.ask = (question: string) => {
      if (!/removes them from the screen/.test(question)) {
        calls += 1
        t.strictSame(holders.onScreen, [], question)
      }
      return inner(question)
    }
    await ceremony(COMMAND, config, holders)
    t.equal(calls, 10, "five calls and five times typing back")
  },
)

t.test(
  "W62: a ceremony that ends before all shares are typed back leaves the plain seed, and nothing else",
  async (t) => {
    const { config, file, directory } = setup(t)
    createDeployment(config)
    const before = readFileSync(file)
    const names = () => filesIn(directory)
    const files = names()
    for (let end = 0; end < 15; end += 1) {
      let asked = 0
      const holders = new Holders(() => {
        asked += 1
        return asked > end ? "\u0004" : undefined
      })
      await t.rejects(ceremony(COMMAND, config, holders), { message: /nothing was changed/ })
      t.strictSame(readFileSync(file), before)
      t.strictSame(names(), files)
    }
  },
)

t.test(
  "W62: a ceremony for a new deployment that ends early leaves neither seed nor ledger, and can be repeated",
  async (t) => {
    const { config, file } = setup(t)
    const ending = new Holders((question) => (/share 5/.test(question) ? "\u0004" : undefined))
    await t.rejects(ceremony(COMMAND, config, ending), { message: /nothing was changed/ })
    t.notOk(existsSync(file))
    t.notOk(existsSync(config.ledgerDirectory))
    await ceremony(COMMAND, config, new Holders())
    t.ok(existsSync(file))
  },
)

t.test("impossible numbers are refused before anything is asked", async (t) => {
  const { config } = setup(t)
  createDeployment(config)
  for (const numbers of [{ threshold: 1 }, { threshold: 6 }, { shares: 16 }, { shares: 0 }]) {
    const holders = new Holders()
    await t.rejects(ceremony({ ...COMMAND, ...numbers }, config, holders), { code: "SHARES_IMPOSSIBLE" })
    t.strictSame(holders.questions, [])
  }
})

t.test("C-1847: a file that cannot be stored is refused before anybody types words for it", async (t) => {
  const { config, directory } = setup(t)
  createDeployment(config)
  const holders = new Holders()
  const within = join(config.seedFile, "fetcher-seed")
  const command = { ...COMMAND, fetcherSeed: within }
  const refused = { message: `${config.seedFile} is no folder, so ${within} cannot be stored` }
  await t.rejects(ceremony(command, config, holders), refused)
  await t.rejects(changeShares(command, config, holders), refused)
  t.strictSame(holders.questions, [])
  t.notOk(filesIn(directory).includes("fetcher-seed"))
})

t.test("a passphrase is asked for twice, must be long, and opens the seed", async (t) => {
  const { config, file } = setup(t)
  createDeployment(config)
  const seed = bytesOf(readRootSeed(file))
  const typed = [
    "short",
    "long enough, once",
    "long enough, twice",
    "long enough, twice",
    "long enough, twice",
  ]
  const holders = new Holders((question) =>
    /^Passphrase|^The same/.test(question) ? typed.shift() : undefined,
  )
  await ceremony({ ...COMMAND, usesPassphrase: true }, config, holders)
  t.match(holders.shown.slice(0, 2), [/has 5 characters; at least 15/, "The two differ."])
  const sealed = readSealedSeed(readFileSync(file))
  t.strictSame(bytesOf(await openByPassphrase(sealed, readPassphrase("long enough, twice"))), seed)
})

t.test(
  "W62: a change of shares replaces the set; the old file still opens with old shares, and the command says so",
  async (t) => {
    const { config, file, open } = setup(t)
    createDeployment(config)
    const seed = bytesOf(readRootSeed(file))
    const old = new Holders()
    await ceremony(COMMAND, config, old)
    const oldFile = readFileSync(file)
    const holders = new Holders((question, { sheets }) =>
      question.startsWith("Present") ? old.sheets.get([1, 1, 4, 5][asked++] ?? 0) : void sheets,
    )
    let asked = 0
    const { lines, json } = await changeShares({ ...COMMAND, shares: 4, threshold: 2 }, config, holders)
    t.match(json, { generation: 2, shares: 4, threshold: 2, replaces: 1 })
    t.match(
      lines[1],
      /Copies of the file of generation 1, with its shares, still open the same seed\. Destroy/,
    )
    t.match(
      lines[2],
      /^But keep words of the fetcher, auth proxy, certificate authority if an earlier sheet/,
      "C-1847",
    )
    t.match(holders.shown.join("\n"), /share 1 .* was given already/)
    for (const two of subsets([...holders.sheets.values()], 2)) t.strictSame(await open(two), seed)
    await t.rejects(open([...old.sheets.values()].slice(0, 3)), { code: "SHARES_WRONG" })
    const points = [...old.sheets.values()]
      .slice(2)
      .map((words) => readShareWords(words).use(readShare).point)
    t.strictSame(bytesOf(await openByShares(readSealedSeed(oldFile), points)), seed)
  },
)

t.test(
  "W62: a change of shares that ends at any question leaves the old set, which still opens",
  async (t) => {
    const { config, file, open, directory } = setup(t)
    createDeployment(config)
    const seed = bytesOf(readRootSeed(file))
    const old = new Holders()
    await ceremony(COMMAND, config, old)
    const before = readFileSync(file)
    const files = filesIn(directory)
    for (let end = 0; end < 18; end += 1) {
      let asked = 0
      const holders = new Holders((question) => {
        asked += 1
        if (asked > end) return "\u0004"
        return question.startsWith("Present") ? old.sheets.get(asked) : undefined
      })
      await t.rejects(
        changeShares(COMMAND, config, holders),
        { message: /nothing was changed/ },
        `question ${end}`,
      )
      t.strictSame(readFileSync(file), before)
      t.strictSame(filesIn(directory), files)
    }
    t.strictSame(await open([...old.sheets.values()].slice(1, 4)), seed)
  },
)

t.test("a change of shares needs a sealed seed", async (t) => {
  const { config } = setup(t)
  await t.rejects(changeShares(COMMAND, config, new Holders()), { message: /no sealed root seed/ })
  createDeployment(config)
  await t.rejects(changeShares(COMMAND, config, new Holders()), { message: /no sealed root seed/ })
})
