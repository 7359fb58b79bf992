import type { AuditRecord } from "./record.ts"

/** Facility "log audit" of RFC 5424 section 6.2.1. */
const FACILITY = 13

const [ALERT, WARNING, NOTICE] = [1, 4, 5]

const SEVERITIES: { readonly [kind: string]: number } = {
  broken: ALERT,
  gap: WARNING,
  omitted: WARNING,
  "refused-caller": WARNING,
}

/**
 * A record as a message of RFC 5424, framed with its length in octets as RFC 5425 sends it. The message is the record's line: a receiver
 * verifies the chain of what it stored.
 */
export function syslogFrame(line: string, { time, kind }: AuditRecord, host: string): string {
  const priority = FACILITY * 8 + (SEVERITIES[kind] ?? NOTICE)
  const message = `<${priority}>1 ${time} ${printable(host)} countersign-signer - ${printable(kind)} - ${line}`
  return `${Buffer.byteLength(message)} ${message}`
}

/** A field of the header: printable ASCII without spaces, or a dash. */
function printable(text: string): string {
  return /^[\x21-\x7e]{1,255}$/.test(text) ? text.slice(0, 32) : "-"
}
