import { create, fromJson } from "@bufbuild/protobuf"
import t from "tap"
import { readMessage } from "../../proto/read.ts"
import { writeJson } from "../../proto/write.ts"
import { field, Label, tinyMessage, Type } from "./tiny-schema.ts"

const list = { label: Label.REPEATED }
const colour = { typeName: ".tiny.Colour" }
const tiny = tinyMessage(
  field("user_name", Type.STRING),
  field("is_on", Type.BOOL),
  field("count", Type.INT32),
  field("big", Type.INT64),
  field("data", Type.BYTES),
  field("colour", Type.ENUM, colour),
  field("colours", Type.ENUM, { ...list, ...colour }),
  field("tags", Type.STRING, list),
  field("child", Type.MESSAGE, { typeName: ".tiny.Tiny" }),
  field("children", Type.MESSAGE, { ...list, typeName: ".tiny.Tiny" }),
  field("names", Type.MESSAGE, { ...list, typeName: ".tiny.Tiny.NamesEntry" }),
  field("this_one", Type.STRING, { oneofIndex: 0 }),
  field("that_one", Type.STRING, { oneofIndex: 0 }),
  field("details", Type.MESSAGE, { typeName: ".google.protobuf.Struct" }),
  field("anything", Type.MESSAGE, { typeName: ".google.protobuf.Value" }),
  field("nick", Type.STRING, { proto3Optional: true, oneofIndex: 1 }),
)
const empty = {
  userName: "",
  isOn: false,
  count: 0,
  big: "0",
  data: "",
  colours: [],
  tags: [],
  children: [],
  names: {},
}

t.test("the writer writes members that clients index, and leaves out unset ones", async (t) => {
  t.same(writeJson(tiny, create(tiny)), empty)
})

t.test("the writer writes members that are set, even to an empty value", async (t) => {
  const json = {
    ...empty,
    isOn: true,
    big: "9007199254740993",
    data: "AQI=",
    colour: "COLOUR_RED",
    colours: ["COLOUR_RED"],
    tags: [""],
    child: { ...empty, nick: "" },
    children: [empty],
    names: { a: "" },
    thatOne: "",
    details: { a: [null] },
    anything: [1, { b: null }],
    nick: "",
  }
  const message = fromJson(tiny, json)
  t.same(writeJson(tiny, message), json)
  t.same(readMessage(tiny, writeJson(tiny, message)).message, message, "and the reader takes it back")
})

t.test("an enum value of a newer release is written as its number", async (t) => {
  const message = create(tiny)
  Reflect.set(message, "colour", 7)
  t.equal(writeJson(tiny, message)["colour"], 7)
})
