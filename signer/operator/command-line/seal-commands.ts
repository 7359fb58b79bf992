import { UsageFault } from "../../core/command-line.ts"
import { ACT_NAMES, type ActName } from "../../core/holder-acts/acts.ts"
import type { CeremonyCommand } from "../ceremony/ceremony.ts"
import type { FileChangeCommand, OpenBy } from "../ceremony/change-file.ts"
import type { HolderCommand, PrepareCommand } from "../holders/commands.ts"
import type { UnlockCommand } from "../../process/unlock-client.ts"
import { readNumber, readSeconds, type Values } from "./options.ts"

/** `ceremony`, `change-shares` */
export function ceremonyOf(command: string, values: Values): CeremonyCommand {
  const { shares, threshold, sheets, passphrase = false, command: usesCommand = false } = values
  if (shares === undefined || threshold === undefined)
    throw new UsageFault(`${command} needs --shares and --threshold: --shares 5 --threshold 3`)
  return {
    shares: readNumber("--shares", shares),
    threshold: readNumber("--threshold", threshold),
    usesPassphrase: passphrase,
    usesCommand,
    sheets,
    holders: values.holder ?? [],
    approvesSetupCodes: values["approve-setup-codes"] ?? false,
    approvals: values.approvals ?? [],
    fetcherSeed: values["fetcher-seed"],
    authProxyKey: values["auth-proxy-key"],
  }
}

/** `change-holders`, `change-daily`, `change-witnesses`, `leave-production` */
export function changeOf(values: Values): FileChangeCommand {
  const { passphrase = false, command: usesCommand = false } = values
  return {
    by: openBy(values.by),
    holders: values.holder ?? [],
    usesPassphrase: passphrase,
    usesCommand,
    approvals: values.approvals ?? [],
  }
}

function openBy(text = "shares"): OpenBy {
  if (text === "shares" || text === "passphrase" || text === "command") return text
  throw new UsageFault(`--by ${text}: write shares, passphrase or command`)
}

/** `unlock` */
export function evidenceOf({ passphrase = false, command = false }: Values): UnlockCommand["by"] {
  if (passphrase && command)
    throw new UsageFault("unlock takes one way: --passphrase, --command, or shares without an option")
  if (passphrase) return "passphrase"
  return command ? "command" : "shares"
}

/** Seven days. */
const MAX_WITHIN = 7 * 24 * 60 * 60

/** `approve prepare ACT` */
export function prepareOf([word, act = ""]: readonly string[], values: Values): PrepareCommand {
  if (word !== "prepare" || !isAct(act))
    throw new UsageFault(`approve takes prepare and the name of an act: ${ACT_NAMES.join(", ")}`)
  const { shares = "0", threshold = "0", expires = "0" } = values
  if (act === "change-shares" && (values.shares ?? values.threshold) === undefined)
    throw new UsageFault("approve prepare change-shares needs --shares and --threshold, as the change will")
  if (act === "setup-code" && values.for === undefined)
    throw new UsageFault("approve prepare setup-code needs --for PUBLIC_KEY: the only key that can use it")
  return {
    act,
    restored: values.restored ?? false,
    publicKey: values.for ?? "",
    expirationSeconds: readSeconds("--expires", expires, 0xffff_ffff),
    shares: readNumber("--shares", shares),
    threshold: readNumber("--threshold", threshold),
    holders: values.holder ?? [],
    withinSeconds: readSeconds("--within", values.within ?? "0", MAX_WITHIN),
  }
}

const isAct = (text: string): text is ActName => (ACT_NAMES as readonly string[]).includes(text)

/** `holder key FILE`, `holder sign TEXT` */
export function holderOf([word, file]: readonly string[], values: Values): HolderCommand {
  const { key, signature, assertion, for: publicKey, plain: isPlain = false } = values
  if (file === undefined || (word !== "key" && word !== "sign"))
    throw new UsageFault("holder takes key and the file to make, or sign and the file of a text")
  if (word === "key") {
    if ((key ?? signature ?? assertion ?? publicKey) !== undefined)
      throw new UsageFault("--key, --signature, --assertion and --for belong to holder sign")
    return { does: "key", file, isPlain }
  }
  if (isPlain) throw new UsageFault("--plain belongs to holder key")
  const given = [key, signature, assertion].filter((one) => one !== undefined)
  if (given.length !== 1)
    throw new UsageFault("holder sign needs one of --key FILE, --signature FILE and --assertion FILE")
  if ((key === undefined) !== (publicKey !== undefined))
    throw new UsageFault("--for KEY goes with --signature and --assertion: the public key that made it")
  if (key !== undefined) return { does: "sign", file, with: { kind: "key", file: key } }
  const kind = signature === undefined ? "assertion" : "signature"
  return {
    does: "sign",
    file,
    with: { kind, file: signature ?? assertion ?? "", publicKey: publicKey ?? "" },
  }
}
