import type { Secret } from "../../../signer/core/crypto/secret.ts"
import { listWaiting } from "../../organization-file/waiting.ts"
import {
  type ActivityToSubmit,
  type ChangeOptions,
  resultOf,
  submitChange,
} from "../../terminal-client/changes/change.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { waiting } from "../../terminal-client/changes/waiting.ts"
import { generateExportKey, openExport, readSignedBundle, sealImport } from "./bundles.ts"

/** A secret to export: its kind in activity types, and the member that names it, as its bundle has it. */
export type ExportOrder = { type: "WALLET" | "PRIVATE_KEY"; identity: { readonly [member: string]: string } }

/** A secret to import: its kind in activity types, its user, and the other members of the import, its name first. */
export type ImportOrder = {
  type: ExportOrder["type"]
  userId: string
  parameters: { readonly [member: string]: unknown }
}

/**
 * Exports a secret, sealed by the signer of the pins to a key made here. The caller wipes it. Undefined: a dry run.
 *
 * @throws {CliError} verificationFailed: the bundle is not what was asked for; or of the API
 */
export async function exportSecret(
  { type, identity }: ExportOrder,
  options: ChangeOptions,
  stamping: Stamping,
): Promise<Secret | undefined> {
  const { organizationId, pinsFile } = stamping
  const { targetPublicKey, secret: own } = generateExportKey()
  const parameters = { ...identity, targetPublicKey }
  const submission = { type: `ACTIVITY_TYPE_EXPORT_${type}`, parameters, identity, secret: own }
  const submitted = await submitChange(submission, options, stamping)
  if (submitted === undefined) return undefined
  const bundle = String(resultOf(submitted.activity)["exportBundle"])
  const sealed = await readSignedBundle(bundle, pinsFile, { organizationId, ...identity })
  return openExport(sealed, submitted.secret ?? own)
}

/**
 * Asks for the key to which a secret is sealed for import. A request for it that waits is sent again by the same command, so that votes
 * are given once.
 *
 * @throws {CliError} waitsForApproval, also for an import of this name; verificationFailed: another signer's key; or of the API
 */
export async function requestImportKey(
  { type, userId, parameters }: ImportOrder,
  { again = false }: ChangeOptions,
  stamping: Stamping,
): Promise<ImportKey> {
  const [nameMember = ""] = Object.keys(parameters)
  const name = parameters[nameMember]
  await requireNoneWaits(`ACTIVITY_TYPE_IMPORT_${type}`, { [nameMember]: name }, stamping)
  const init = { type: `ACTIVITY_TYPE_INIT_IMPORT_${type}`, parameters: { userId } }
  const { importBundle } = await submit({ ...init, identity: { userId, name } }, { again }, stamping)
  const { organizationId, pinsFile } = stamping
  return readSignedBundle(String(importBundle), pinsFile, { organizationId, userId })
}

/** Imports a secret, sealed to the key, and returns the activity's result. The caller wipes it. @throws {CliError} of the API */
export function importSecret(
  { type, userId, parameters }: ImportOrder,
  secret: Secret,
  key: ImportKey,
  stamping: Stamping,
): Promise<Members> {
  const members = { userId, ...parameters, encryptedBundle: sealImport(key, secret) }
  // Each import has a key of its own: an earlier one cannot be sent again.
  return submit({ type: `ACTIVITY_TYPE_IMPORT_${type}`, parameters: members }, { again: true }, stamping)
}

/**
 * Refuses to send what waits already: another request for it would need votes of its own.
 *
 * @param members members of the waiting activity's parameters
 * @throws {CliError} waitsForApproval
 */
export async function requireNoneWaits(type: string, members: Members, stamping: Stamping): Promise<void> {
  const found = (await listWaiting(stamping, [type])).find(({ intent }) => {
    const [parameters] = Object.values(intent) as (Members | undefined)[]
    return Object.entries(members).every(([member, value]) => parameters?.[member] === value)
  })
  if (found !== undefined) throw await waiting(found, stamping)
}

type Members = { readonly [member: string]: unknown }
type ImportKey = Awaited<ReturnType<typeof readSignedBundle>>

async function submit(
  change: ActivityToSubmit,
  options: ChangeOptions,
  stamping: Stamping,
): Promise<Members> {
  const submitted = await submitChange(change, options, stamping)
  if (submitted === undefined) throw new Error(`${change.type} was not submitted`)
  return resultOf(submitted.activity)
}
