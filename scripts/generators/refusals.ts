import { getOption } from "@bufbuild/protobuf"
import {
  RefusalCodeSchema,
  RefusalGroupSchema,
  refusal,
} from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { httpStatus } from "../../services/common/api-error.ts"
import { SERVICE_REASONS, type ServiceReasonEntry } from "../../services/common/errors/service-reasons.ts"
import type { Comments } from "./comments.ts"

const ADVICE = " To do: "

/** services/common/errors/refusal-texts.ts: meaning and advice of each code, which no generated descriptor has. */
export function refusalTexts(comments: Comments): string {
  const codes = RefusalCodeSchema.values.filter(({ number }) => number !== 0)
  const texts = codes.map(({ name, localName }) => [localName, textsOf(comments, name)])
  const groups = RefusalGroupSchema.values.filter(({ number }) => number !== 0)
  const titles = groups.map(({ name }) => [name, titleOf(comments, name)])
  return `// Generated from proto/countersign/signer/v1/refusal.proto by \`npm run generate\`: not edited by hand.

/** Meaning and advice, by code. */
export const REFUSAL_TEXTS: { readonly [code: string]: { readonly meaning: string; readonly remedy: string } } =
  ${JSON.stringify(Object.fromEntries(texts))}

/** Steps that refuse, by the name of the group. */
export const REFUSAL_GROUP_TITLES: { readonly [group: string]: string } = ${JSON.stringify(Object.fromEntries(titles))}
`
}

/** The table of docs/ERRORS.md of reasons that the services alone give. */
export function tableOfServiceReasons(): string {
  const rows = Object.entries<ServiceReasonEntry>(SERVICE_REASONS).map(
    ([reason, { status = "any", meaning, remedy }]) =>
      `- \`${reason}\`, ${status}: ${meaning}\n  To do: ${remedy}`,
  )
  return rows.join("\n")
}

function titleOf(comments: Comments, group: string): string {
  return comments.get(`${RefusalGroupSchema.typeName}.${group}`)?.replace(/\.$/, "") ?? ""
}

function textsOf(comments: Comments, code: string): { meaning: string; remedy: string } {
  const comment = comments.get(`${RefusalCodeSchema.typeName}.${code}`) ?? ""
  const [meaning, remedy] = comment.split(ADVICE)
  if (meaning === undefined || remedy === undefined)
    throw new Error(`the comment of ${code} does not say what to do`)
  return { meaning, remedy }
}

/** The refusals for docs/ERRORS.md, by the step that gives them: code, HTTP status, identifier, meaning, advice. */
export function listOfRefusals(comments: Comments): string {
  const codes = RefusalCodeSchema.values.filter(({ number }) => number !== 0)
  const sections = RefusalGroupSchema.values
    .filter(({ number }) => number !== 0)
    .map(({ name, number }) => {
      const title = titleOf(comments, name)
      const items = codes
        .map((code) => ({ code, declared: getOption(code, refusal) }))
        .filter(({ declared }) => Number(declared.group) === number)
        .map(({ code, declared }) => {
          const { meaning, remedy } = textsOf(comments, code.name)
          const status = httpStatus(declared.status)
          const ends = declared.final ? " Ends a waiting activity." : ""
          return `- \`${code.localName}\`, ${status} \`${declared.publicCode}\`: ${meaning}${ends}\n  To do: ${remedy}`
        })
      return `### ${title}\n\n${items.join("\n")}`
    })
  return sections.join("\n\n")
}
