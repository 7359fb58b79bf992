import type { Handler } from "../context.ts"
import { unknownPath } from "../dispatch.ts"

/** The address alone, as a terminal prints it and people open it. */
export const FRONT_PATH = "/"

/** Leads a browser to the documentation. A program has asked for an operation that is not there. */
export const frontPage: Handler = (context) => {
  context.vary("Accept")
  if (context.accepts("json", "html") !== "html")
    throw unknownPath(context.path, "GET /docs/api lists what is served")
  context.redirect("/docs")
}
