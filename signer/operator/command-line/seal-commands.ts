import { UsageFault } from "../../core/command-line.ts"
import { ACT_NAMES, type ActName } from "../../core/holder-acts/acts.ts"
import { dailyChangeOf } from "../../core/seal-commands/ways.ts"
import type { CeremonyCommand } from "../ceremony/ceremony.ts"
import type { FileChangeCommand } from "../ceremony/change-file.ts"
import type { HolderCommand, PrepareCommand } from "../holders/commands.ts"
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
    sealsAuthority: values.authority ?? false,
  }
}

/** `change-holders`, `change-daily`, `change-witnesses`, `leave-production` */
export function changeOf(values: Values): FileChangeCommand {
  return { ...dailyChangeOf(values), holders: values.holder ?? [], approvals: values.approvals ?? [] }
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

/** `holder key FILE`, `holder passkey FILE`, `holder sign TEXT` */
export function holderOf([word, file]: readonly string[], values: Values): HolderCommand {
  const { key, passkey, signature, assertion, for: publicKey, plain: isPlain = false } = values
  if (file === undefined || (word !== "key" && word !== "passkey" && word !== "sign"))
    throw new UsageFault("holder takes key or passkey and the file to make, or sign and the file of a text")
  if (word !== "sign" && (key ?? passkey ?? signature ?? assertion ?? publicKey) !== undefined)
    throw new UsageFault("--key, --passkey, --signature, --assertion and --for belong to holder sign")
  if (word === "key") return { does: word, file, isPlain }
  if (isPlain) throw new UsageFault("--plain belongs to holder key")
  if (word === "passkey") return { does: word, file }
  const given = [key, passkey, signature, assertion].filter((one) => one !== undefined)
  if (given.length !== 1)
    throw new UsageFault(
      "holder sign needs one of --key FILE, --passkey FILE, --signature FILE and --assertion FILE",
    )
  const isElsewhere = (signature ?? assertion) !== undefined
  if (isElsewhere !== (publicKey !== undefined))
    throw new UsageFault("--for KEY goes with --signature and --assertion: the public key that made it")
  if (key !== undefined) return { does: word, file, with: { kind: "key", file: key } }
  if (passkey !== undefined) return { does: word, file, with: { kind: "passkey", file: passkey } }
  const kind = signature === undefined ? "assertion" : "signature"
  return { does: word, file, with: { kind, file: signature ?? assertion ?? "", publicKey: publicKey ?? "" } }
}
