import type { ServerResponse } from "node:http"
import { memberPath, misspellingCheck, type OnUnknownMember } from "../../../proto/unknown-members.ts"

/** Reply header that lists the members of the body that this release does not know and did not read. */
const IGNORED_MEMBERS = "X-Countersign-Ignored-Members"

/** Members that are listed; `...` stands for the others. */
const MAX_LISTED = 20

/** Characters of a listed path. */
const MAX_PATH = 120

/** Bytes of the listed paths together: common clients and proxies read 8 KiB of all headers. */
const MAX_BYTES = 2048

/**
 * Refuses members that must not be ignored, and lists the others in a header of the reply, also of an error. The header
 * holds paths such as `parameters.users[0].nickname`, separated by a comma and a space.
 */
export function listIgnoredMembers(res: Pick<ServerResponse, "setHeader">): OnUnknownMember {
  const check = misspellingCheck()
  const listed: string[] = []
  let bytes = 0
  return (parent, name, known) => {
    check(parent, name, known)
    if (listed.at(-1) === "...") return
    const path = headerText(memberPath(parent, name))
    bytes += path.length
    listed.push(listed.length < MAX_LISTED && bytes <= MAX_BYTES ? path : "...")
    res.setHeader(IGNORED_MEMBERS, listed.join(", "))
  }
}

/** A name can hold any character; those that would not be safe in a header are percent-encoded (RFC 3986). */
function headerText(path: string): string {
  const encoded = path
    .slice(0, MAX_PATH)
    .toWellFormed()
    .replace(/[^A-Za-z0-9_.\-[\]]+/g, encodeURIComponent)
  return path.length > MAX_PATH ? `${encoded}...` : encoded
}
