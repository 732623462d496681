"use strict";

const WORDS = {
  en: {
    language: "中文", predict: "Predict", answer: "Answer", waiting: "Computing…",
    time: "{ms} ms", how: "From a program:", draw: "Draw", clear: "Clear",
    drop: "Drop a file here, or choose one.", more: "and {count} more",
    shape: "Numbers of shape {shape}, as lists in JSON, or a .npy file",
    none: "(empty)", true: "true", nothing: "nothing", unreachable: "The service does not answer. Is it still running?",
    columns: "Columns: {names}",
  },
  zh: {
    language: "English", predict: "预测", answer: "结果", waiting: "正在计算……",
    time: "{ms} 毫秒", how: "在程序中调用：", draw: "手绘", clear: "清除",
    drop: "将文件拖到这里，或选择文件。", more: "另有 {count} 项",
    shape: "形状为 {shape} 的数值：JSON 列表或 .npy 文件",
    none: "（空）", true: "成立", nothing: "无", unreachable: "服务没有应答，它还在运行吗？",
    columns: "列：{names}",
  },
};
const ERRORS_ZH = {
  missing: "缺少输入“{name}”。",
  no_file: "“{name}”必须是非空文件。",
  no_numbers: "“{name}”必须是数值，各列表长度须相同。",
  shape: "“{name}”的形状为 {given}，模型需要 {wanted}。",
  no_json: "不是有效的 JSON：{reason}。",
  no_array: "“{name}”不是有效的数组。",
  no_picture: "“{name}”不是有效的图片。",
  pixels: "“{name}”的像素过多。",
  no_text: "“{name}”必须是文本。",
  no_utf8: "“{name}”不是 UTF-8 文本。",
  long_text: "“{name}”过长：最多 {limit} 个字符。",
  large: "请求过大：最多 {limit} MB。",
  unpacks: "“{name}”解压后为 {size} MB：最多 {limit} MB。",
  memory: "该样本需要的内存超出可用内存。",
  busy: "等待模型的请求过多，请稍后再试。",
  slow_model: "模型未能在 {limit} 秒内应答。",
  slow_request: "请求未能在 {limit} 秒内送达。",
  unreadable: "无法读取或计算该样本：{reason}",
};
const ACCEPTED = { picture: "image/*", mask: "image/*", sound: "audio/*", video: "video/*", array: ".npy,.npz,.pt", numbers: ".npy,.json" };
const SHOWN = 10;

let language = navigator.language.startsWith("zh") ? "zh" : "en";
let about = null;
let last = null;
const entries = [];

const byId = (id) => document.getElementById(id);
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
const word = (name, values = {}) => filled(WORDS[language][name], values);

function made(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function fileEntry(field) {
  const input = made("input", { type: "file", id: `field-${field.name}`, accept: ACCEPTED[field.kind] + (field.picture ? ",image/*" : "") });
  const drop = made("div", { className: "drop" }, input);
  const image = made("img", { alt: "", hidden: true });
  let own = null;
  const show = (file) => {
    own = file;
    if (image.src) URL.revokeObjectURL(image.src);
    const isPicture = file && (field.kind === "picture" || field.kind === "mask" || file.type.startsWith("image/"));
    image.hidden = !isPicture;
    if (isPicture) image.src = URL.createObjectURL(file);
  };
  input.addEventListener("change", () => show(input.files[0] ?? null));
  drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    show(event.dataTransfer.files[0] ?? null);
  });
  drop.append(made("p", { className: "note", textContent: word("drop") }), image);
  if (field.is_drawn) drop.append(drawing(show));
  return { element: drop, value: () => own };
}

/** A black square to draw in white, as the pictures of digits are; `show` is given the picture. */
function drawing(show) {
  const canvas = made("canvas", { width: 196, height: 196, hidden: true, id: "canvas" });
  const paint = canvas.getContext("2d");
  const wipe = () => { paint.fillStyle = "#000"; paint.fillRect(0, 0, 196, 196); };
  Object.assign(paint, { strokeStyle: "#fff", lineWidth: 16, lineCap: "round", lineJoin: "round" });
  wipe();
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    paint.beginPath();
    paint.moveTo(event.offsetX, event.offsetY);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!event.buttons) return;
    paint.lineTo(event.offsetX, event.offsetY);
    paint.stroke();
  });
  canvas.addEventListener("pointerup", () => canvas.toBlob((blob) => { show(blob); predict(); }));
  const clear = made("button", { type: "button", textContent: word("clear"), hidden: true });
  clear.addEventListener("click", () => { wipe(); show(null); });
  const draw = made("button", { type: "button", textContent: word("draw") });
  draw.addEventListener("click", () => { canvas.hidden = clear.hidden = !canvas.hidden; });
  return made("div", {}, draw, " ", clear, canvas);
}

function cellEntry(field) {
  const id = `field-${field.name}`;
  if (field.choices.length) {
    const select = made("select", { id });
    if (!field.is_required) select.append(new Option(word("none"), ""));
    field.choices.forEach((choice) => select.append(new Option(choice, choice)));
    return { element: select, value: () => select.value };
  }
  const input = made("input", { id, autocomplete: "off", placeholder: field.example ?? "" });
  return { element: input, value: () => input.value };
}

function textEntry(field) {
  const area = made("textarea", { id: `field-${field.name}` });
  return { element: area, value: () => area.value };
}

function numbersEntry(field) {
  const area = textEntry(field);
  const file = fileEntry({ ...field, name: `${field.name}-file` });
  const shape = field.shape.map((size) => (size < 0 ? "n" : size)).join("×") || "1";
  const note = made("p", { className: "note", textContent: word("shape", { shape }) });
  const element = made("div", {}, area.element, note, file.element);
  if (field.columns.length) {
    const names = field.columns.join(", ");
    element.append(made("p", { className: "note", textContent: word("columns", { names }) }));
  }
  return { element, value: () => file.value() ?? area.value() };
}

function build() {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  document.title = byId("title").textContent = about.title;
  byId("language").textContent = word("language");
  byId("predict").textContent = word("predict");
  byId("answer-title").textContent = word("answer");
  byId("how").textContent = word("how");
  byId("curl").textContent = about.curl.replaceAll("{url}", location.origin);
  entries.length = 0;
  byId("fields").replaceChildren();
  for (const field of about.fields) {
    const make = field.is_file ? fileEntry : { cell: cellEntry, text: textEntry }[field.kind] ?? numbersEntry;
    const entry = make(field);
    const label = made("label", { textContent: field.name, htmlFor: `field-${field.name}` });
    byId("fields").append(made("div", { className: "field" }, label, entry.element));
    entries.push({ field, value: entry.value });
  }
  show();
}

async function predict() {
  const form = new FormData();
  for (const { field, value } of entries) {
    const given = value();
    const isEmpty = given === null || given === "";
    if (!(isEmpty && field.kind !== "text")) form.append(field.name, given);
  }
  byId("predict").disabled = true;
  byId("problem").textContent = "";
  byId("time").textContent = word("waiting");
  const began = performance.now();
  try {
    const response = await fetch("predict", { method: "POST", body: form });
    last = { ...(await response.json()), ms: Math.round(performance.now() - began) };
  } catch {
    last = { error: WORDS.en.unreachable, code: "unreachable" };
  }
  byId("predict").disabled = false;
  show();
}

function show() {
  if (last === null) return;
  const sentence = language === "zh" && (ERRORS_ZH[last.code] ?? WORDS.zh[last.code]);
  byId("problem").textContent = last.error ? filled(sentence || last.error, last) : "";
  byId("time").textContent = last.error ? "" : word("time", { ms: last.ms });
  const answer = last.answer ?? {};
  const many = Object.keys(answer).length > 1;
  byId("answer").replaceChildren(
    ...Object.entries(answer).flatMap(([name, value]) => [
      ...(many ? [made("h2", { textContent: name })] : []), ...told(value),
    ]),
  );
}

const rounded = (value) => (typeof value === "number" ? String(Number(value.toPrecision(7))) : String(value));

function told(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    const numbers = Array.isArray(value) && value.length <= 1 ? value[0] : value;
    const isPlain = numbers === null || typeof numbers !== "object";
    const text = isPlain ? rounded(numbers) : JSON.stringify(numbers);
    return [made(isPlain ? "p" : "pre", { className: isPlain ? "best" : "", textContent: text })];
  }
  const best = value.class ?? (value.true.join(", ") || word("nothing"));
  const chances = Object.entries(value.chances).sort((one, other) => other[1] - one[1]);
  const bars = chances.slice(0, SHOWN).map(([name, chance]) => {
    const meter = made("meter", { min: 0, max: 1, value: chance ?? 0, ariaLabel: name });
    const share = chance === null ? "–" : `${(100 * chance).toFixed(1)} %`;
    return made("div", { className: "bar" }, made("span", { textContent: name, title: name }), meter, made("span", { textContent: share }));
  });
  const more = chances.length - bars.length;
  const rest = more > 0 ? [made("p", { className: "note", textContent: word("more", { count: more }) })] : [];
  return [made("p", { className: "best", textContent: best }), ...bars, ...rest];
}

byId("form").addEventListener("submit", (event) => { event.preventDefault(); predict(); });
byId("language").addEventListener("click", () => { language = language === "en" ? "zh" : "en"; build(); });
fetch("schema").then((response) => response.json()).then((found) => { about = found; build(); });
