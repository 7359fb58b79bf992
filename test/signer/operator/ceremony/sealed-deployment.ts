// A sealed deployment of three holders, in this process, and what they give and approve at a terminal.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Test } from "tap"
import { openByShares } from "../../../../signer/core/sealed-seed/open.ts"
import { readShare } from "../../../../signer/core/sealed-seed/share.ts"
import { readShareWords } from "../../../../signer/core/sealed-seed/share-words.ts"
import type { BootedSigner } from "../../../../signer/enclave/booted-signer.ts"
import { readConfig } from "../../../../signer/enclave/config.ts"
import { createDeployment } from "../../../../signer/enclave/create-deployment.ts"
import { unlockHandlers } from "../../../../signer/enclave/rpc/index.ts"
import { ceremony, type CeremonyCommand } from "../../../../signer/operator/ceremony/ceremony.ts"
import type { ActName } from "../../../../signer/core/holder-acts/acts.ts"
import type { FileChangeCommand } from "../../../../signer/operator/ceremony/change-file.ts"
import { writeApproval } from "../../../../signer/operator/holders/approval-file.ts"
import { prepare } from "../../../../signer/operator/holders/prepare.ts"
import { readRootSeed, readSealedFile } from "../../../../signer/process/root-seed.ts"
import { atEnd } from "../../../harness/at-end.ts"
import { type Holder, holders as newHolders } from "../../../harness/holder-keys.ts"
import { bytesOf } from "../../core/sealed-seed/sets.ts"
import { CEREMONY, Holders } from "./holders.ts"

export const PASSPHRASE = "a long daily passphrase"

/** A change of the file by shares, with nothing to change. */
export const CHANGE: FileChangeCommand = {
  by: "shares",
  holders: [],
  usesPassphrase: false,
  usesCommand: false,
  approvals: [],
}

export const hexes = (keys: readonly Holder[]) => keys.map(({ hex }) => hex)

type Options = {
  isEnrolled?: boolean
  isProduction?: boolean
  settings?: NodeJS.Dict<string>
  own?: Partial<CeremonyCommand>
}

type Sealed = { directory: string; seed: Uint8Array; keys: Holder[]; terminal: Holders }

/** Deployments that were sealed once in this process, by their options. Tests get copies. */
const made = new Map<string, Promise<Sealed>>()

async function seal({
  isEnrolled = true,
  isProduction = false,
  settings = {},
  own = {},
}: Options): Promise<Sealed> {
  const directory = mkdtempSync(join(tmpdir(), "cs-sealed-"))
  atEnd(async () => rmSync(directory, { recursive: true, force: true }))
  const config = readConfig({ COUNTERSIGN_DATA_DIR: directory, ...settings })
  createDeployment(config)
  const seed = bytesOf(readRootSeed(config.seedFile))
  const keys = newHolders(3)
  const terminal = new Holders((question) =>
    /^Passphrase|^The same/.test(question) ? PASSPHRASE : undefined,
  )
  const command = {
    ...CEREMONY,
    shares: 3,
    threshold: 2,
    usesPassphrase: true,
    holders: isEnrolled ? hexes(keys) : [],
    ...own,
  }
  await ceremony(command, { ...config, isProduction }, terminal)
  return { directory, seed, keys, terminal }
}

/** A sealed deployment of 2 of 3, with holders and a passphrase. */
export async function sealedDeployment(t: Test, options: Options = {}) {
  const name = JSON.stringify(options)
  const once = made.get(name) ?? seal(options)
  made.set(name, once)
  const { directory: from, seed, keys, terminal } = await once
  const directory = mkdtempSync(join(tmpdir(), "cs-change-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  cpSync(from, directory, { recursive: true })
  const config = readConfig({ COUNTERSIGN_DATA_DIR: directory, ...options.settings })
  const sealed = () => readSealedFile(config.seedFile)!
  /** The holders at the terminal give these shares, and the passphrase. */
  const present = (...numbers: number[]) =>
    new Holders((question) => {
      if (question.startsWith("Present passphrase")) return PASSPHRASE
      const [present, owner = "signer"] =
        /^Present share .*needed(?: for the ([a-z ]+))?:$/.exec(question) ?? []
      return present === undefined ? undefined : terminal.line(numbers.shift() ?? 0, owner) || "\u0004"
    })
  const openByTwo = async () => {
    const points = [1, 3].map(
      (number) => readShareWords(terminal.line(number, "signer")).use(readShare).point,
    )
    return bytesOf(await openByShares(sealed(), points))
  }
  const approve = async (
    words: Partial<Parameters<typeof prepare>[0]> & { act: ActName },
    signers: readonly Holder[],
    present = config,
  ) => {
    const usual = {
      restored: false,
      publicKey: "",
      expirationSeconds: 0,
      shares: 0,
      threshold: 0,
      holders: [],
      withinSeconds: 0,
      waitSeconds: 0,
    }
    const { json } = await prepare({ ...usual, ...words }, present)
    const text = Buffer.from((json as { text: string }).text)
    return signers.map((holder, index) => {
      const file = join(directory, `approval-${index}.json`)
      writeFileSync(file, JSON.stringify(writeApproval(text, holder.approve(text))))
      return file
    })
  }
  /** Unlocks a signer by the shares of two holders: a passphrase takes half a second of processor time. */
  const unlock = async (signer: BootedSigner) => {
    for (const number of [1, 3]) {
      const value = bytesOf(readShareWords(terminal.line(number, "signer")))
      await unlockHandlers.unlock({ evidence: { case: "share", value } } as never, signer)
    }
  }
  return { config, directory, seed, keys, sealed, present, openByTwo, approve, unlock }
}
