"use strict";

// The reference: /openapi.json as a page. A call is drawn when it is opened, so that hundreds of them cost nothing.

const methods = ["get", "post", "put", "delete"];
const languages = ["curl", "TypeScript", "Go", "Kotlin", "Swift"];
let api;
let token = sessionStorage.getItem("token") || "";
let language = localStorage.getItem("docs-language") || languages[0];

function element(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

const code = (text, className = "") => element("code", { className }, String(text));

function resolve(value) {
  while (value && value.$ref) {
    value = value.$ref.slice(2).split("/").reduce((at, part) => at[part.replace(/~1/g, "/").replace(/~0/g, "~")], api);
  }
  return value || {};
}

// ---- Text: the few forms of Markdown that the document uses.

const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

function inline(text) {
  return text.split(/(`[^`]+`)/).map((part) => part.startsWith("`") && part.length > 1
    ? `<code>${escaped(part.slice(1, -1))}</code>`
    : escaped(part).replace(/\*\*([^*]+)\*\*/g, "<b>$1</b>").replace(/\[([^\]]+)\]\(([/#][^)\s]*)\)/g, '<a href="$2">$1</a>')).join("");
}

const cells = (line, tag) => `<tr>${line.replace(/^\||\|\s*$/g, "").split("|").map((cell) => `<${tag}>${inline(cell.trim())}</${tag}>`).join("")}</tr>`;

function block(text) {
  const lines = text.split("\n");
  const fence = /^```/;
  if (fence.test(lines[0])) return `<pre><code>${escaped(lines.slice(1, -1).join("\n"))}</code></pre>`;
  const heading = /^(#{2,4}) (.*)/.exec(lines[0]);
  if (heading) return `<h${heading[1].length - 1}>${inline(heading[2])}</h${heading[1].length - 1}>`;
  const opened = /^<details><summary><b>([^<]+)<\/b><\/summary>$/.exec(lines[0]);
  if (opened) return `<details><summary><b>${inline(opened[1])}</b></summary>`;
  if (lines[0] === "</details>") return "</details>";
  if (lines[0].startsWith("|")) {
    const head = lines[0].replace(/[|\s]/g, "") ? `<thead>${cells(lines[0], "th")}</thead>` : "";
    return `<div class="wide"><table>${head}<tbody>${lines.slice(2).map((line) => cells(line, "td")).join("")}</tbody></table></div>`;
  }
  if (/^\d+\. /.test(lines[0])) return `<ol>${lines.map((line) => `<li>${inline(line.replace(/^\d+\. /, ""))}</li>`).join("")}</ol>`;
  if (lines[0].startsWith("- ")) return `<ul>${lines.map((line) => `<li>${inline(line.slice(2))}</li>`).join("")}</ul>`;
  return `<p>${inline(lines.join(" "))}</p>`;
}

function markdown(text) {
  const blocks = [[]];
  let fenced = false;
  for (const line of String(text || "").split("\n")) {
    if (line.startsWith("```")) fenced = !fenced;
    if (line === "" && !fenced) blocks.push([]);
    else blocks[blocks.length - 1].push(line);
  }
  return blocks.filter((lines) => lines.length).map((lines) => block(lines.join("\n"))).join("\n");
}

const prose = (text, tag = "div") => element(tag, { className: "prose", innerHTML: markdown(text) });

// ---- Schemas.

function whole(schema) {
  schema = resolve(schema);
  if (!schema.allOf) return schema;
  const merged = { type: "object", ...schema, properties: { ...schema.properties }, required: [...(schema.required || [])] };
  delete merged.allOf;
  for (const part of schema.allOf.map(whole)) {
    Object.assign(merged.properties, part.properties);
    merged.required.push(...(part.required || []));
  }
  return merged;
}

function typeWords(schema) {
  const s = whole(schema);
  if (s.const !== undefined) return JSON.stringify(s.const);
  if (s.enum) return s.enum.map((value) => value === "" ? '""' : String(value)).join(" | ");
  const kind = [].concat(s.type || (s.properties ? "object" : s.oneOf || s.anyOf ? (s.oneOf || s.anyOf).map(typeWords).join(" or ") : "any"));
  let words = kind.map((k) => k === "array" ? `${typeWords(s.items || {})}[]` : k).join(" or ");
  if (s.format) words = words.replace("string", s.format);
  const bounds = [["minLength", "≥", " characters"], ["maxLength", "≤", " characters"], ["minimum", "≥", ""], ["maximum", "≤", ""], ["minItems", "≥", " items"], ["maxItems", "≤", " items"]]
    .filter(([key]) => s[key] !== undefined).map(([key, sign, unit]) => `${sign} ${s[key]}${unit}`);
  if (s.pattern) bounds.push(s.pattern);
  return bounds.length ? `${words}, ${bounds.join(", ")}` : words;
}

// inner is the object that a schema has fields of: its own, an item's, or one of a map's values.
function inner(schema) {
  const s = whole(schema);
  if (s.properties) return s;
  if (s.items) return inner(s.items);
  if (s.additionalProperties && typeof s.additionalProperties === "object") return inner(s.additionalProperties);
  const choice = (s.oneOf || s.anyOf || []).map(inner).find(Boolean);
  return choice || null;
}

function fields(schema) {
  const s = inner(schema);
  if (!s) return code(typeWords(schema));
  const list = element("ul", { className: "fields" });
  for (const [name, property] of Object.entries(s.properties)) {
    const line = element("li", {}, code(name), (s.required || []).includes(name) ? element("b", { className: "must", title: "required" }, "*") : "",
      element("span", { className: "type" }, " ", typeWords(property)));
    const said = whole(property).description || resolve(property).description;
    if (said) line.append(element("div", { className: "said", innerHTML: inline(said) }));
    if (inner(property)) line.append(opening("fields", () => fields(property), Object.keys(s.properties).length === 1));
    list.append(line);
  }
  return list;
}

// opening is a part that is drawn when it is opened.
function opening(title, draw, isOpen = false) {
  const node = element("details", {}, typeof title === "string" ? element("summary", {}, title) : title);
  node.addEventListener("toggle", () => { if (node.open && !node.drawn) { node.drawn = true; node.append(draw()); } });
  node.open = isOpen;
  return node;
}

const id = "0192f0c1-7a52-7cc3-98c4-dc0c0c07398f";

function example(schema, depth = 0) {
  const s = whole(schema);
  if (s.example !== undefined) return s.example;
  if (s.examples && s.examples.length) return s.examples[0];
  if (s.const !== undefined) return s.const;
  if (s.default !== undefined) return s.default;
  if (s.enum) return s.enum.find((value) => value !== "" && value !== null);
  if (s.oneOf || s.anyOf) return example((s.oneOf || s.anyOf)[0], depth);
  const kind = [].concat(s.type || (s.properties ? "object" : "string"))[0];
  switch (kind) {
    case "object": {
      const out = {};
      if (depth > 5) return out;
      const must = s.required || [];
      for (const [name, property] of Object.entries(s.properties || {})) {
        if (must.includes(name)) out[name] = example(property, depth + 1);
      }
      return out;
    }
    case "array": return depth > 5 ? [] : [example(s.items || {}, depth + 1)];
    case "integer": case "number": return s.minimum || 1;
    case "boolean": return true;
  }
  switch (s.format) {
    case "uuid": return id;
    case "date": return new Date().toISOString().slice(0, 10);
    case "date-time": return new Date().toISOString().slice(0, 19) + "Z";
    case "email": return "asha.rao@example.org";
    case "uri": return location.origin;
  }
  if (/\\\+/.test(s.pattern || "")) return "+919812345678";
  if (/:/.test(s.pattern || "")) return "08:30";
  if (/^\^?\[?(\\d|\[?0-9)/.test(s.pattern || "")) return "1234567".slice(0, s.minLength || 6);
  return "text".padEnd(s.minLength || 0, "t");
}

// ---- One call.

const parametersOf = (op) => (op.parameters || []).map(resolve);
const jsonOf = (content) => content && content["application/json"] && content["application/json"].schema;
const bodyOf = (op) => resolve(op.requestBody).content;

function request(call, values) {
  let path = call.path;
  const query = [];
  const headers = {};
  for (const p of parametersOf(call.op)) {
    const value = values.parameters[p.name] || "";
    if (p.in === "path") path = path.replace(`{${p.name}}`, encodeURIComponent(value || `<${p.name}>`));
    else if (value && p.in === "query") query.push(`${encodeURIComponent(p.name).replace(/%5B/g, "[").replace(/%5D/g, "]")}=${encodeURIComponent(value)}`);
    else if (value && p.in === "header") headers[p.name] = value;
  }
  if ((call.op.security || []).length) headers.Authorization = "Bearer $TOKEN";
  if (values.body) headers["Content-Type"] = "application/json";
  return { method: call.method.toUpperCase(), path: path + (query.length ? `?${query.join("&")}` : ""), headers, body: values.body };
}

const compact = (text) => { try { return JSON.stringify(JSON.parse(text)); } catch { return text; } };

const samples = {
  curl: (r) => [`curl ${r.method === "GET" ? "" : `-X ${r.method} `}"$BASE${r.path}"`,
    ...Object.entries(r.headers).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(r.body ? [`-d '${compact(r.body).replace(/'/g, "'\\''")}'`] : [])].join(" \\\n  "),
  TypeScript: (r) => `const answer = await fetch(base + ${JSON.stringify(r.path)}, {
  method: "${r.method}",
  headers: {${Object.entries(r.headers).map(([name, value]) => ` "${name}": ${value.includes("$TOKEN") ? "`Bearer ${token}`" : JSON.stringify(value)}`).join(",")} },${r.body ? `\n  body: JSON.stringify(${compact(r.body)}),` : ""}
});
const { data, message } = await answer.json();
if (!answer.ok) throw new Error(message);`,
  Go: (r) => `req, err := http.NewRequest("${r.method}", base+${JSON.stringify(r.path)}, ${r.body ? `strings.NewReader(\`${compact(r.body)}\`)` : "nil"})
if err != nil {
	return err
}
${Object.entries(r.headers).map(([name, value]) => `req.Header.Set("${name}", ${value.includes("$TOKEN") ? '"Bearer "+token' : JSON.stringify(value)})`).join("\n")}
resp, err := http.DefaultClient.Do(req)
if err != nil {
	return err
}
defer resp.Body.Close()
var answer struct {
	Data    json.RawMessage
	Message string
}
err = json.NewDecoder(resp.Body).Decode(&answer)`,
  Kotlin: (r) => `val request = Request.Builder() // OkHttp
    .url(base + ${JSON.stringify(r.path).replace(/\$/g, "\\$")})
${Object.entries(r.headers).filter(([name]) => name !== "Content-Type").map(([name, value]) => `    .header("${name}", ${value.includes("$TOKEN") ? '"Bearer $token"' : JSON.stringify(value)})\n`).join("")}    .method("${r.method}", ${r.body ? `"""${compact(r.body)}""".toRequestBody("application/json".toMediaType())` : r.method === "GET" || r.method === "DELETE" ? "null" : '"".toRequestBody()'})
    .build()
client.newCall(request).execute().use { answer ->
    val text = answer.body!!.string()
    check(answer.isSuccessful) { text }
}`,
  Swift: (r) => `var request = URLRequest(url: URL(string: base + ${JSON.stringify(r.path)})!)
request.httpMethod = "${r.method}"
${Object.entries(r.headers).map(([name, value]) => `request.setValue(${value.includes("$TOKEN") ? '"Bearer \\(token)"' : JSON.stringify(value)}, forHTTPHeaderField: "${name}")`).join("\n")}${r.body ? `\nrequest.httpBody = Data(#"${compact(r.body)}"#.utf8)` : ""}
let (data, answer) = try await URLSession.shared.data(for: request)
guard (answer as! HTTPURLResponse).statusCode < 300 else { throw URLError(.badServerResponse) }`,
};

// titles are what people call the modules of x-permission, by their keys.
const titles = {};

// whoMay says who may make a call, from its x-permission and security.
function whoMay(op) {
  const may = op["x-permission"];
  if (!may) return (op.security || []).length ? "For anyone signed in." : "Needs no access token.";
  const roles = may.roles.map((role) => `\`${role}\``).join(", ");
  if (!may.module) return `For ${roles}.`;
  const modules = [may.module, ...(may.orReads || [])].map((key) => `**${titles[key] || key}**`).join(" or ");
  return `For ${roles} with **${may.action}** on ${modules}.`;
}

// exampleOf makes an answer as its schema and its words are.
function exampleOf(schema, words) {
  const made = example(schema);
  if (made && made.message === "text") made.message = words;
  return made;
}

function drawCall(call) {
  const { op } = call;
  const node = element("div", { className: "call" });
  const said = [whoMay(op), op.description];
  if (op["x-fresh"]) said.push("Needs a fresh proof: a sign-in or `POST /auth/reauthenticate` of the last 10 minutes.");
  if ((op.security || []).some((way) => way.apiKey)) said.push("An API key may call it.");
  if (op["x-limit-class"]) said.push(`Counts as \`${op["x-limit-class"]}\`.`);
  node.append(prose(said.filter(Boolean).join(" ")));
  const values = { parameters: {}, body: "" };
  const bodySchema = jsonOf(bodyOf(op));
  if (bodySchema) values.body = JSON.stringify(example(bodySchema), null, 2);

  const form = element("form", { className: "try" });
  const parameters = parametersOf(op);
  if (parameters.length) {
    node.append(element("h2", {}, "Parameters"));
    for (const p of parameters) {
      if (p.in === "path") values.parameters[p.name] = "";
      const input = element("input", { name: p.name, placeholder: String(example(p.schema || {})), autocomplete: "off" });
      input.addEventListener("input", () => { values.parameters[p.name] = input.value; show(); });
      form.append(element("label", {}, element("span", {}, code(p.name), p.required ? element("b", { className: "must" }, "*") : "",
        element("span", { className: "type" }, ` ${p.in}, ${typeWords(p.schema || {})}`)), input,
      p.description ? element("span", { className: "said", innerHTML: inline(p.description) }) : ""));
    }
  }
  if (bodyOf(op)) {
    form.append(element("h2", {}, `Body (${Object.keys(bodyOf(op)).join(", ")})`));
    if (bodySchema) {
      const body = element("textarea", { value: values.body, rows: Math.min(16, values.body.split("\n").length), spellcheck: false, ariaLabel: "Body" });
      body.addEventListener("input", () => { values.body = body.value; show(); });
      form.append(opening("Fields", () => fields(bodySchema)), body);
    }
  }
  const answerBox = element("output", { className: "answer" });
  form.append(element("button", { type: "submit" }, "Send"), answerBox);
  form.addEventListener("submit", (event) => { event.preventDefault(); send(request(call, values), answerBox); });

  const sample = element("pre", { className: "sample" });
  const show = () => { sample.textContent = samples[language](request(call, values)); };
  const tabs = element("div", { className: "tabs", role: "group", ariaLabel: "Language" });
  for (const name of languages) {
    const tab = element("button", { type: "button", ariaPressed: String(name === language) }, name);
    tab.addEventListener("click", () => {
      language = name;
      localStorage.setItem("docs-language", name);
      for (const other of tabs.children) other.ariaPressed = String(other === tab);
      show();
    });
    tabs.append(tab);
  }
  show();
  node.append(form, element("h2", {}, "Sample"), tabs, sample, element("h2", {}, "Answers"));
  for (const [status, ref] of Object.entries(op.responses)) {
    const response = resolve(ref);
    const media = response.content || {};
    const schema = jsonOf(media);
    const kinds = Object.keys(media).filter((kind) => kind !== "application/json");
    const examples = Object.values((media["application/json"] || {}).examples || {}).map(resolve);
    const title = element("summary", {}, element("b", { className: status < "300" ? "good" : "bad" }, status), " ",
      [...new Set(examples.map((e) => e.summary))].join(", ") || ref.description || response.description || "");
    node.append(opening(title, () => {
      const said = element("div", {}, prose(ref.description || response.description));
      if (kinds.length) said.append(element("p", {}, kinds.join(", ")));
      if (examples.length) for (const e of examples) said.append(element("pre", {}, JSON.stringify(e.value, null, 2)));
      else if (schema) said.append(fields(schema), opening("Example", () => element("pre", {}, JSON.stringify(exampleOf(schema, ref.description || response.description), null, 2))));
      return said;
    }));
  }
  return node;
}

async function send(r, box) {
  box.textContent = "…";
  try {
    const headers = { ...r.headers };
    if (headers.Authorization) headers.Authorization = `Bearer ${token}`;
    const began = performance.now();
    const answer = await fetch(r.path, { method: r.method, headers, body: r.body || undefined });
    const text = await answer.text();
    let shown = text;
    let data = null;
    try { data = JSON.parse(text); shown = JSON.stringify(data, null, 2); } catch { /* not JSON */ }
    box.replaceChildren(element("p", {}, element("b", {}, `${answer.status} ${answer.statusText}`), ` in ${Math.round(performance.now() - began)} ms`),
      element("pre", {}, shown.slice(0, 200000)));
    if (answer.ok && data && data.accessToken) useToken(data.accessToken); // a sign-in serves the calls after it
  } catch (problem) {
    box.textContent = String(problem);
  }
}

function useToken(value) {
  token = value.trim();
  sessionStorage.setItem("token", token);
  document.getElementById("token").value = token;
}

// ---- The page.

function drawPage() {
  document.getElementById("guide").innerHTML = markdown(api.info.description);
  const byTag = new Map();
  for (const [path, operations] of Object.entries(api.paths)) {
    for (const method of methods) {
      const op = operations[method];
      if (!op) continue;
      op.security ??= api.security;
      const tag = (op.tags || ["other"])[0];
      const may = op["x-permission"];
      if (may && may.module) titles[may.module] = tag.split(" · ").pop();
      if (!byTag.has(tag)) byTag.set(tag, []);
      byTag.get(tag).push({ path, method, op, words: `${method} ${path} ${op.summary} ${op.operationId} ${tag}`.toLowerCase() });
    }
  }
  const calls = document.getElementById("calls");
  const sections = [];
  for (const { name, description } of api.tags) {
    const list = byTag.get(name) || [];
    const section = element("details", { className: "tag" }, element("summary", {}, element("b", {}, name), ` ${list.length}`,
      description ? element("span", { className: "said", innerHTML: inline(description) }) : ""));
    const rows = list.map((call) => {
      const row = opening(element("summary", {}, element("span", { className: `method ${call.method}` }, call.method.toUpperCase()), " ",
        code(call.path), element("span", { className: "said" }, call.op.summary)), () => drawCall(call));
      row.className = "row";
      row.id = call.op.operationId;
      row.addEventListener("toggle", () => { if (row.open) history.replaceState(null, "", `#${row.id}`); });
      section.append(row);
      return { row, words: call.words };
    });
    sections.push({ section, rows });
    calls.append(section);
  }
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  const look = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let total = 0;
    for (const { section, rows } of sections) {
      let here = 0;
      for (const { row, words: has } of rows) {
        row.hidden = !words.every((word) => has.includes(word));
        if (!row.hidden) here++;
      }
      section.hidden = here === 0;
      section.open = words.length > 0 && here > 0;
      total += here;
    }
    found.textContent = `${total} calls`;
    document.getElementById("guide").hidden = words.length > 0;
  };
  search.addEventListener("input", look);
  search.disabled = false;
  look();
  const goTo = () => {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!row || !row.classList.contains("row")) return;
    row.parentElement.open = true;
    row.open = true;
    row.scrollIntoView();
  };
  window.addEventListener("hashchange", goTo);
  goTo();
  const box = document.getElementById("token");
  box.value = token;
  box.addEventListener("change", () => useToken(box.value));
  document.body.dataset.ready = "yes";
}

fetch("/openapi.json").then((answer) => answer.json()).then((read) => { api = read; drawPage(); })
  .catch((problem) => { document.getElementById("guide").textContent = `The document could not be read: ${problem}`; });
