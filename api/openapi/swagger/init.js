"use strict";

// The filter box finds calls by path, summary and tag, whatever their case.
// Swagger UI's own looks at tags only, as they are spelt.
function findCalls(taggedOps, phrase) {
  const wanted = phrase.toLowerCase();
  const has = (text) => String(text || "").toLowerCase().includes(wanted);
  return taggedOps
    .map((tag, name) => has(name) ? tag : tag.update("operations", (ops) =>
      ops.filter((op) => has(op.get("path")) || has(op.getIn(["operation", "summary"])))))
    .filter((tag) => tag.get("operations").size > 0);
}

// A sign-in that was tried out on the page is used for the calls after it.
function rememberSignIn(response) {
  const token = response.ok && response.body && response.body.accessToken;
  if (token) {
    const schema = { type: "http", scheme: "bearer" };
    ui.getSystem().authActions.authorizeWithPersistOption({ bearer: { name: "bearer", schema, value: token } });
  }
  return response;
}

const ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  displayRequestDuration: true,
  showExtensions: true,
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  validatorUrl: null,
  responseInterceptor: rememberSignIn,
  plugins: [() => ({ fn: { opsFilter: findCalls } })],
});
