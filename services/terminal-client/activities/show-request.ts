import { readBodyText } from "../../../signer/core/request/read-body.ts"
import type { Stamping } from "../changes/stamping.ts"
import { contextOf } from "./context.ts"
import { linesOfRequest } from "./read.ts"

/** Shows a body that is about to be stamped, as the signer reads it. */
export async function showRequest(body: string, reviewing: Stamping): Promise<void> {
  const request = readBodyText(body)
  const context = await contextOf([request], reviewing)
  linesOfRequest(request, context).forEach(reviewing.terminal.log)
}
