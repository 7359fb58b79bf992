import { closeSync, fsyncSync, openSync, writeSync } from "node:fs"
import { writeExportHeader } from "../../core/audit/export.ts"
import { readRecord } from "../../core/audit/record.ts"
import { UsageFault } from "../../core/command-line.ts"
import { counted } from "../../core/counted.ts"
import type { SignerConfig } from "../../enclave/config.ts"
import { auditLines } from "../../process/audit-folder.ts"
import type { CommandResult } from "../command-result.ts"
import { readBinding } from "./binding.ts"

export type ExportAuditCommand = {
  verb: "export"
  directory?: string | undefined
  out: string
  from: number
  waitSeconds: number
}

/** Writes the records of this host as they are, below the proof that the running signer gives. */
export async function exportAudit(
  { out, from, waitSeconds }: ExportAuditCommand,
  { directory, configOf }: { directory: string; configOf: () => SignerConfig },
): Promise<CommandResult> {
  const { binding } = await readBinding(configOf().operatorSocket, waitSeconds)
  const descriptor = create(out)
  let records = 0
  try {
    writeSync(descriptor, `${writeExportHeader(binding)}\n`)
    for (const line of auditLines(directory)) {
      if ((readRecord(line)?.number ?? from) < from) continue
      writeSync(descriptor, `${line}\n`)
      records += 1
    }
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  const [, size = ""] = binding.checkpoint.split("\n")
  const lines = [
    `${out} has ${counted(records, "record")}, with a log of ${counted(BigInt(size), "leaf", "leaves")}`,
    `to verify: countersign-signer audit verify ${out} --pins PINS`,
  ]
  return { lines, json: { out, records, logSize: Number(size) } }
}

function create(path: string): number {
  try {
    return openSync(path, "wx", 0o600)
  } catch (error) {
    throw new UsageFault(`--out ${path}: the file cannot be made (${(error as NodeJS.ErrnoException).code})`)
  }
}
