import { CliError, ExitCode } from "../exit.ts"
import { readSealed, type SealedMember } from "../resources/sealed.ts"
import type { NamedKey } from "../key-folder.ts"
import type { OrganizationFile } from "./file.ts"
import { clientName } from "./file-access.ts"
import type { LiveOrganization } from "./live.ts"

type Context = { organizationId: string; pinsFile: string; key: NamedKey }

/**
 * Seals the secrets of the clients that the organization lacks. `--client-secret x:app=FILE` names one; `-` is standard input.
 * Those that it has keep their secret: a command that continues is the same command.
 *
 * @throws {CliError} usage: no such client in the file, no file, or a secret that is missing
 */
export async function sealClientSecrets(
  texts: readonly string[],
  { oauth2Credentials = [] }: OrganizationFile,
  live: LiveOrganization,
  context: Context,
): Promise<Map<string, SealedMember>> {
  const names = oauth2Credentials.map(clientName)
  const files = new Map(texts.map((text) => readOption(text, names)))
  const known = new Set(live.oauth2Credentials.map(clientName))
  const lacking = names.filter((name) => !known.has(name))
  const missing = lacking.filter((name) => !files.has(name))
  if (missing.length > 0) {
    const options = missing.map((name) => `--client-secret ${name}=FILE`).join(" ")
    throw usage(
      `the file has no secrets: give those of new OAuth 2.0 credentials with ${options}. Nothing was sent`,
    )
  }
  const secrets = new Map<string, SealedMember>()
  for (const name of lacking) {
    const noun = `client secret of ${name}`
    secrets.set(name, await readSealed(files.get(name) ?? "-", noun, "clientSecretSealer", context))
  }
  return secrets
}

function readOption(text: string, names: readonly string[]): [name: string, file: string] {
  // A client id may have an equals sign.
  const name = names.find((one) => text.startsWith(`${one}=`))
  if (name !== undefined && text.length > name.length + 1) return [name, text.slice(name.length + 1)]
  const known = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`
  throw usage(
    `--client-secret: write PROVIDER:CLIENT_ID=FILE for an OAuth 2.0 credential of the file; ${known}`,
  )
}

function usage(sentence: string): CliError {
  return new CliError(ExitCode.usage, sentence)
}
