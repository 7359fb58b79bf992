// The proxy's operations as an OpenAPI 3.1 document, read from proto by reflection like that of the core API.
import { AuthProxyService } from "../../proto/gen/countersign/api/v1/proxy_pb.ts"
import type { OperationEntry } from "../../proto/declared-operations.ts"
import { proxyPaths } from "../../proto/proxy-operations.ts"
import {
  errorResponses,
  errorSchema,
  jsonContent,
  type OpenApiDocument,
  type Operation,
  responses,
  sentence,
} from "../common/openapi/document.ts"
import { withExamples } from "../common/openapi/examples.ts"
import {
  type Amendments,
  commentOf,
  reference,
  type Schema,
  type Schemas,
  schemasOf,
} from "../common/openapi/schemas.ts"

export function openApiDocument(): OpenApiDocument {
  const operations = [...proxyPaths.values()]
  const schemas = schemasOf(
    operations.map(({ input }) => input),
    operations.map(({ output }) => output),
    amendments,
  )
  return withExamples({
    openapi: "3.1.1",
    info: {
      title: "Countersign authentication proxy",
      summary: "Sign-up and login for pages that hold no key",
      description: "Requests carry no stamp.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      version: "v1",
    },
    servers: [{ url: "/", description: "this service" }],
    security: [],
    tags: [{ name: "proxy", description: "Operations of login pages" }],
    paths: Object.fromEntries(operations.map((entry) => [`/v1/${entry.path}`, { post: operation(entry) }])),
    components: {
      schemas: { ...schemas, Error: errorSchema },
      responses: errorResponses,
      securitySchemes: {},
    },
  })
}

function operation({ path, name, input, output, served }: OperationEntry): Operation {
  // A request without members may come without a body.
  const hasMembers = input.fields.length > 0
  return {
    operationId: name,
    tags: ["proxy"],
    summary: sentence(path),
    description: commentOf(AuthProxyService, `${name.charAt(0).toUpperCase()}${name.slice(1)}`),
    "x-served": served,
    parameters: [CONFIGURATION],
    requestBody: jsonContent(hasMembers, reference(input.name)),
    responses: responses("The result", output.name),
  }
}

/** Members that the interface spells as proto does and published clients in camel case: both are read. */
const amendments: Amendments = {
  OtpVerifyRequest: alsoSpelled("public_key", "publicKey"),
  OtpLoginRequest: alsoSpelled("client_signature", "clientSignature"),
  // A string by the interface's document, an object in published clients.
  "OtpLoginRequest.clientSignature": () => ({ anyOf: [{ type: "string" }, reference("ClientSignature")] }),
}

function alsoSpelled(name: string, published: string) {
  return (made: Schema): Schema => {
    const properties = made["properties"] as Schemas
    const { [published]: schema = {} } = properties
    return { ...made, properties: { ...properties, [name]: schema } }
  }
}

const CONFIGURATION: Schema = {
  name: "X-Auth-Proxy-Config-Id",
  in: "header",
  required: true,
  description: "Id of the settings of an organization",
  schema: { type: "string" },
}
