import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fromBinary } from "@bufbuild/protobuf"
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  type FileDescriptorProto,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt"
import { run } from "../run.ts"

/** Comments of proto/**\/*.proto, each on one line, by full name: `countersign.api.v1.Form.FORM_UUID`. */
export type Comments = ReadonlyMap<string, string>

// Field numbers of descriptor.proto, of which the paths of SourceCodeInfo are made.
const FILE = { message: 4, enum: 5, service: 6 }
const MESSAGE = { field: 2, nested: 3, enum: 4 }
const ENUM_VALUE = 2
const SERVICE_METHOD = 2

/** Comments are not in the generated code: buf reads them from the sources. */
export async function readComments(): Promise<Comments> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-comments-"))
  try {
    const file = join(folder, "proto.binpb")
    const { code, output } = await run("buf", ["build", "--as-file-descriptor-set", "--output", file])
    if (code !== 0) throw new Error(output)
    const { file: files } = fromBinary(FileDescriptorSetSchema, await readFile(file))
    return new Map(files.flatMap(commentsOf))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * services/common/openapi/comments.ts: comments of the public API, for descriptions in OpenAPI documents, by full name
 * without package.
 */
export function publicComments(comments: Comments): string {
  const own = [...comments].filter(([name]) => name.startsWith(PUBLIC_PACKAGE))
  const texts = own.map(([name, text]) => [name.slice(PUBLIC_PACKAGE.length), text])
  return `// Generated from proto/countersign/api/v1 by \`npm run generate\`: not edited by hand.

/** Comments of messages, members, enumerations, values and operations, by full name without package. */
export const COMMENTS: { readonly [name: string]: string } = ${JSON.stringify(Object.fromEntries(texts))}
`
}

const PUBLIC_PACKAGE = "countersign.api.v1."

function commentsOf(file: FileDescriptorProto): [string, string][] {
  const names = namesByPath(file)
  return (file.sourceCodeInfo?.location ?? []).flatMap(({ path, leadingComments }): [string, string][] => {
    const name = names.get(path.join("."))
    const text = leadingComments.replace(/\s+/g, " ").trim()
    return name === undefined || text === "" ? [] : [[name, text]]
  })
}

function namesByPath(file: FileDescriptorProto): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const addEnum = (path: string, scope: string, { name, value }: EnumDescriptorProto) => {
    names.set(path, `${scope}.${name}`)
    for (const [index, { name: member }] of value.entries())
      names.set(`${path}.${ENUM_VALUE}.${index}`, `${scope}.${name}.${member}`)
  }
  const addMessage = (path: string, scope: string, message: DescriptorProto) => {
    const name = `${scope}.${message.name}`
    names.set(path, name)
    for (const [index, field] of message.field.entries())
      names.set(`${path}.${MESSAGE.field}.${index}`, `${name}.${field.name}`)
    for (const [index, nested] of message.nestedType.entries())
      addMessage(`${path}.${MESSAGE.nested}.${index}`, name, nested)
    for (const [index, nested] of message.enumType.entries())
      addEnum(`${path}.${MESSAGE.enum}.${index}`, name, nested)
  }
  const scope = file.package
  for (const [index, message] of file.messageType.entries())
    addMessage(`${FILE.message}.${index}`, scope, message)
  for (const [index, enumeration] of file.enumType.entries())
    addEnum(`${FILE.enum}.${index}`, scope, enumeration)
  for (const [index, service] of file.service.entries())
    for (const [at, method] of service.method.entries())
      names.set(`${FILE.service}.${index}.${SERVICE_METHOD}.${at}`, `${scope}.${service.name}.${method.name}`)
  return names
}
