import {
  FAULT,
  LOCKED_OR_UNREACHABLE,
  REFUSED,
  type StartFault,
} from "../../signer/core/settings/start-fault.ts"
import { isDatabaseUnavailable } from "./faults.ts"
import { type DatabaseConfig, placeOf, sqlState } from "./database.ts"

/** Codes of the resolver: the name has no address, or no name server answers. */
const UNRESOLVED = ["ENOTFOUND", "EAI_AGAIN"]

/** A fault of the database that keeps the API from starting. The server's own message names role or database. */
export function databaseFaultOf(error: unknown, config: DatabaseConfig): StartFault | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, hostname } = error as { code?: unknown; hostname?: unknown }
  if (UNRESOLVED.includes(String(code)) && typeof hostname === "string") {
    const sentence = `the database's host ${hostname} is unknown; correct DATABASE_URL, or the name service`
    return { sentence, status: LOCKED_OR_UNREACHABLE }
  }
  const state = sqlState(error) ?? ""
  if (/^(?:28|3D)/.test(state)) {
    const sentence = `the database refuses this login: ${error.message}; correct DATABASE_URL`
    return { sentence, status: REFUSED }
  }
  if (state === "42501") {
    const sentence = `the database's user may not create or alter tables: ${error.message}; make it the owner`
    return { sentence, status: FAULT }
  }
  if (!isDatabaseUnavailable(error)) return undefined
  const reason = typeof code === "string" ? ` (${code})` : ""
  const fault = `the database cannot be reached at ${placeOf(config)}${reason}`
  return { sentence: `${fault}${"url" in config ? IS_ADDRESS : NOT_SET}`, status: LOCKED_OR_UNREACHABLE }
}

const IS_ADDRESS = ": is it running, and is DATABASE_URL its address?"
const NOT_SET =
  ", and DATABASE_URL is not set: set it to postgres://USER@HOST/DATABASE, or start the server of that socket"
