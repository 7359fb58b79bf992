import {
  create,
  createFileRegistry,
  type DescMessage,
  type MessageInitShape,
  setExtension,
} from "@bufbuild/protobuf"
import {
  FieldDescriptorProto_Label as Label,
  type FieldDescriptorProtoSchema,
  FieldDescriptorProto_Type as Type,
  FieldOptionsSchema,
  file_google_protobuf_descriptor,
  file_google_protobuf_struct,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt"
import { type FieldRule, FieldRuleSchema, rule } from "../../proto/gen/countersign/api/v1/options_pb.ts"

export { Label, Type }

type Field = MessageInitShape<typeof FieldDescriptorProtoSchema>
type Rule = Partial<Omit<FieldRule, "$typeName" | "$unknown">>

/** A field of a message that exists only in a test; its number follows from its place. */
export function field(
  name: string,
  type: Type,
  more: Partial<Omit<Field, "$typeName">> = {},
  its?: Rule,
): Field {
  const jsonName = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  const shaped = { name, type, label: Label.OPTIONAL, jsonName, ...more }
  if (its === undefined) return shaped
  const options = create(FieldOptionsSchema)
  setExtension(options, rule, create(FieldRuleSchema, its))
  return { ...shaped, options }
}

/** A message with these fields, in a file with enum `tiny.Colour` {UNSPECIFIED, RED}, oneof `choice`. */
export function tinyMessage(...fields: Field[]): DescMessage {
  const file = create(FileDescriptorProtoSchema, {
    name: "tiny.proto",
    package: "tiny",
    syntax: "proto3",
    dependency: ["google/protobuf/struct.proto"],
    enumType: [
      {
        name: "Colour",
        value: [
          { name: "COLOUR_UNSPECIFIED", number: 0 },
          { name: "COLOUR_RED", number: 1 },
        ],
      },
    ],
    messageType: [
      {
        name: "Tiny",
        field: fields.map((its, index) => ({ ...its, number: index + 1 })),
        oneofDecl: [
          { name: "choice" },
          ...fields.filter((its) => its.proto3Optional).map(({ name = "" }) => ({ name: `_${name}` })),
        ],
        nestedType: [
          {
            name: "NamesEntry",
            options: { mapEntry: true },
            field: [
              { name: "key", jsonName: "key", number: 1, type: Type.STRING, label: Label.OPTIONAL },
              { name: "value", jsonName: "value", number: 2, type: Type.STRING, label: Label.OPTIONAL },
            ],
          },
        ],
      },
    ],
  })
  const known = [file_google_protobuf_descriptor, file_google_protobuf_struct]
  const registry = createFileRegistry(file, (name) => known.find(({ proto }) => proto.name === name)?.proto)
  const message = registry.getMessage("tiny.Tiny")
  if (message === undefined) throw new Error("no message")
  return message
}
