// The reference, written from the OpenAPI document: the list of operations, and a page for each.
import type { Handler } from "../context.ts"
import type { OpenApiDocument, Operation } from "../openapi/document.ts"
import type { Schema, Schemas } from "../openapi/schemas.ts"
import { html, type Html, prose } from "./html.ts"
import { type HtmlPage, sendPage } from "./page.ts"
import { reachable, schemaNamed, schemaSection, textOf } from "./schema-sections.ts"

type Read = () => Promise<OpenApiDocument>

/** The list of operations, by tag. */
export function referenceIndex(host: HtmlPage["host"], read: Read): Handler {
  return async (context) => {
    const document = await read()
    sendPage(context, { title: `Reference of the ${host}`, host, body: indexBody(document) })
  }
}

/** The page of one operation, by the last segment of its path. An unknown one gets the list, with status 404. */
export function referencePage(host: HtmlPage["host"], read: Read): Handler {
  return async (context) => {
    const document = await read()
    const name = context.path.split("/").at(-1) ?? ""
    const found = Object.entries(document.paths).find(([path]) => nameOf(path) === name)
    if (found === undefined) {
      sendPage(context, { title: "Unknown operation", host, body: indexBody(document) }, 404)
    } else {
      sendPage(context, { title: name, host, body: operationBody(document, found[0], found[1].post) })
    }
  }
}

function nameOf(path: string): string {
  return path.split("/").at(-1) ?? ""
}

function indexBody({ info, tags, paths }: OpenApiDocument): Html {
  const sections = tags.map(({ name, description }) => {
    const rows = Object.entries(paths)
      .filter(([, { post }]) => post.tags.includes(textOf(name)))
      .map(([path, { post }]) => indexRow(path, post))
    return html`<h2 id="${textOf(name)}">${textOf(description)}</h2><div class="scroll"><table><thead><tr><th>Operation</th>
<th>What it does</th></tr></thead><tbody>${rows}</tbody></table></div>`
  })
  return html`<h1>${textOf(info["title"])}</h1><p class="lead">${textOf(info["summary"])}. ${textOf(info["description"])}</p>
<p>Every operation is a POST with a JSON body. The same contract for programs: <a href="/openapi.json">openapi.json</a>. For
Postman and Bruno: <a href="/docs/collection.json">collection.json</a>, whose script stamps. Errors name
their reason: <a href="/docs/errors">the list</a>. <a href="/readyz">readyz</a> says whether the service can answer.</p>${sections}`
}

function indexRow(path: string, operation: Operation): Html {
  const isServed = operation["x-served"] !== false
  return html`<tr><td><a href="/docs/api/${nameOf(path)}"><code>${nameOf(path)}</code></a></td>
<td${isServed ? [] : html` class="later"`}>${prose(firstSentence(operation))}${isServed ? "" : " Not served in this release (501)."}</td></tr>`
}

function firstSentence({ description, summary }: Operation): string {
  return /^.*?[.](?=\s|$)/s.exec(description ?? "")?.[0] ?? `${summary}.`
}

function operationBody({ components }: OpenApiDocument, path: string, operation: Operation): Html {
  const { schemas } = components
  const requests = choicesOf(bodySchema(operation.requestBody))
  const reply = bodySchema(operation.responses["200"] ?? {})
  const sent = requests.map((request) => requestSection(schemas, request))
  const results = requests.flatMap((request) => schemaNamed(schemas, request)["x-result"] ?? []) as Schema[]
  const roots = [...requests.flatMap((request) => parametersOf(schemas, request)), ...results]
  const isActivity = requests.length > 0 && path.includes("/submit/")
  const shown = reachable(schemas, isActivity ? roots : [...requests, reply])
  return html`<h1><code>${nameOf(path)}</code></h1><p class="lead">${prose(operation.description ?? operation.summary)}</p>
<pre><code>POST ${path}</code></pre>${headersOf(operation)}
${
  isActivity
    ? html`<h2>Request</h2><p>The body is <code>{type, timestampMs, organizationId, parameters}</code>. One of these types:</p>${sent}
<h2>Reply</h2><p>The <code>activity</code>, whose <code>result</code> has the result of its type.</p>`
    : []
}
${[...shown].map((name) => schemaSection(name, schemas[name] ?? {}))}`
}

/** The type of an activity, its parameters and its result. */
function requestSection(schemas: Schemas, request: Schema): Html {
  const schema = schemaNamed(schemas, request)
  const properties = (schema["properties"] ?? {}) as Schemas
  const result = schema["x-result"] as Schema | undefined
  return html`<h3><code>${textOf(properties["type"]?.["const"])}</code></h3><p>${prose(textOf(schema["description"]))}
${linkTo("Parameters", properties["parameters"])}${linkTo(", result", result)}.</p>`
}

function linkTo(words: string, schema: Schema | undefined): Html | string {
  const name = refName(schema)
  return name === undefined ? "" : html`${words} <a href="#${name}">${name}</a>`
}

function parametersOf(schemas: Schemas, request: Schema): Schema[] {
  const { parameters } = (schemaNamed(schemas, request)["properties"] ?? {}) as Schemas
  return parameters === undefined ? [] : [parameters]
}

function refName(schema: Schema | undefined): string | undefined {
  const target = schema?.["$ref"]
  return typeof target === "string" ? target.split("/").at(-1) : undefined
}

function bodySchema(body: Schema): Schema {
  const content = body["content"] as { "application/json": { schema: Schema } } | undefined
  return content?.["application/json"].schema ?? {}
}

function choicesOf(schema: Schema): Schema[] {
  return (schema["oneOf"] as Schema[] | undefined) ?? [schema]
}

function headersOf({ parameters = [] }: Operation): Html[] {
  return parameters.map(
    ({ name, description }) => html`<p>Header <code>${textOf(name)}</code>: ${textOf(description)}.</p>`,
  )
}
