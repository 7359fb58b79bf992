import { getOption } from "@bufbuild/protobuf"
import {
  RefusalCodeSchema,
  RefusalGroupSchema,
  refusal,
} from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { httpStatus } from "../../services/common/api-error.ts"
import type { Comments } from "./comments.ts"

const ADVICE = " To do: "

/** The refusals for docs/ERRORS.md, by the step that gives them: code, HTTP status, identifier, meaning, advice. */
export function listOfRefusals(comments: Comments): string {
  const codes = RefusalCodeSchema.values.filter(({ number }) => number !== 0)
  const sections = RefusalGroupSchema.values
    .filter(({ number }) => number !== 0)
    .map(({ name, number }) => {
      const title = comments.get(`${RefusalGroupSchema.typeName}.${name}`)?.replace(/\.$/, "")
      const items = codes
        .map((code) => ({ code, declared: getOption(code, refusal) }))
        .filter(({ declared }) => Number(declared.group) === number)
        .map(({ code, declared }) => {
          const comment = comments.get(`${RefusalCodeSchema.typeName}.${code.name}`) ?? ""
          const [meaning, advice] = comment.split(ADVICE)
          if (meaning === undefined || advice === undefined)
            throw new Error(`the comment of ${code.name} does not say what to do`)
          const status = httpStatus(declared.status)
          const ends = declared.final ? " Ends a waiting activity." : ""
          return `- \`${code.localName}\`, ${status} \`${declared.publicCode}\`: ${meaning}${ends}\n  To do: ${advice}`
        })
      return `### ${title}\n\n${items.join("\n")}`
    })
  return sections.join("\n\n")
}
