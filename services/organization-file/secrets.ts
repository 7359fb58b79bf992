import { usage } from "../terminal-client/exit.ts"
import type { NamedKey } from "../terminal-client/key-folder.ts"
import { onRampName } from "../terminal-client/names/kinds.ts"
import { readSealed, type SealedMember, type SealerName } from "../terminal-client/sealed.ts"
import type { OrganizationFile } from "./file.ts"
import { clientName } from "./file-access.ts"
import { SECRET_OPTIONS, type SecretOption } from "./plan/change.ts"
import type { Plan } from "./plan/plan.ts"
import { secretKey } from "./plan/provider-credentials.ts"

/** Texts of the options, each `NAME=FILE`. */
export type SecretTexts = { readonly [option in SecretOption]: readonly string[] }

type Context = { organizationId: string; pinsFile: string; key: NamedKey }

type Secret = {
  noun: string
  sealer: SealerName
  /** Form of the option's text. */
  form: string
  names: (file: OrganizationFile) => readonly string[]
}

const onRampNames = ({ fiatOnRampCredentials = [] }: OrganizationFile) =>
  fiatOnRampCredentials.map(onRampName)

const SECRETS: { readonly [option in SecretOption]: Secret } = {
  "client-secret": {
    noun: "client secret",
    sealer: "clientSecretSealer",
    form: "PROVIDER:CLIENT_ID=FILE for an OAuth 2.0 credential",
    names: ({ oauth2Credentials = [] }) => oauth2Credentials.map(clientName),
  },
  "on-ramp-secret": {
    noun: "secret API key",
    sealer: "onRampKeySealer",
    form: "PROVIDER=FILE for an on-ramp credential",
    names: onRampNames,
  },
  "on-ramp-private-key": {
    noun: "private API key",
    sealer: "onRampKeySealer",
    form: "PROVIDER=FILE for an on-ramp credential",
    names: onRampNames,
  },
}

/**
 * Seals the secrets that the plan needs. `--client-secret x:app=FILE` names one; `-` is standard input. Credentials that the
 * organization has, unchanged, keep theirs: a command that continues is the same command.
 *
 * @throws {CliError} usage: no such credential in the file, no file, or a secret that is missing
 */
export async function sealSecrets(
  texts: SecretTexts,
  { activities }: Plan,
  file: OrganizationFile,
  context: Context,
): Promise<Map<string, SealedMember>> {
  const files = filesOf(texts, file)
  const needed = activities.flatMap(({ lacking = [] }) => lacking)
  const missing = needed.map(secretKey).filter((key) => !files.has(key))
  if (missing.length > 0) {
    const options = missing.map((key) => `${key}=FILE`).join(" ")
    throw usage(
      `the file has no secrets: give those of new or changed credentials with ${options}. Nothing was sent`,
    )
  }
  requireOneStandardInput(needed.map((one) => files.get(secretKey(one)) ?? ""))
  const secrets = new Map<string, SealedMember>()
  for (const one of needed) {
    const { noun, sealer } = SECRETS[one.option]
    const key = secretKey(one)
    secrets.set(key, await readSealed(files.get(key) ?? "-", `${noun} of ${one.name}`, sealer, context))
  }
  return secrets
}

/** Files by the key of their secret. */
function filesOf(texts: SecretTexts, file: OrganizationFile): Map<string, string> {
  return new Map(
    SECRET_OPTIONS.flatMap((option) => {
      const names = SECRETS[option].names(file)
      return texts[option].map((text) => readOption(option, text, names))
    }),
  )
}

function readOption(
  option: SecretOption,
  text: string,
  names: readonly string[],
): [key: string, file: string] {
  // A client id may have an equals sign.
  const name = names.find((one) => text.startsWith(`${one}=`))
  if (name !== undefined && text.length > name.length + 1)
    return [secretKey({ option, name }), text.slice(name.length + 1)]
  const known = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`
  throw usage(`--${option}: write ${SECRETS[option].form} of the file; ${known}`)
}

/** Standard input can be read once. At a terminal each secret is asked for. @throws {CliError} usage */
function requireOneStandardInput(files: readonly string[]): void {
  if (process.stdin.isTTY || files.filter((file) => file === "-").length < 2) return
  throw usage("several secrets read standard input: name a file for all but one. Nothing was sent")
}
