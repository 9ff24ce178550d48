/**
 * Finds the texts in a file of the pages, so that a test can ask for them to be in a file of words. Whether a string is
 * a text follows from where it is, or from its form:
 *
 * - What a tag encloses and what a spoken attribute or property holds, such as `title`, is one if it has a letter.
 * - Any other string is one if it has several words, "no reply", or begins like a sentence, "Saved". So names and values
 *   pass, "in_flight" or "deliveredAt", but so does a word in lower case that a function returns.
 */
import { parseSync } from 'vite';

export interface ShownText {
  line: number;
  text: string;
}

type Node = { type: string; start: number } & Record<string, unknown>;

/** What a template fills in, where no letter can be. */
const GAP = '\0';
const LETTER = /\p{L}/u;
const LIKE_A_TEXT = /[\p{L}\p{N}\0]\p{P}* \p{P}*[\p{L}\0]|^\p{Lu}\p{Ll}/u;
/** Attributes and properties whose value people see or hear. */
const SPOKEN =
  /^(about|advice|alt|aria-(label|description|valuetext)|cancel|description|head|hint|label|legend|placeholder|sentence|spoken|submit|title|total)$/;
/** Attributes that only the browser reads. */
const SILENT = /^(aria-(labelledby|describedby)|className|d|href|id|key|src|style)$/;
/** What is called with a selector. */
const SELECTING = /^(querySelector|querySelectorAll|closest|matches)$/;
/** The expressions among the nodes that are gone at run time. */
const TYPED_EXPRESSION = /^TS(As|Satisfies|NonNull)Expression$/;

export function shownTexts(file: string, source: string): ShownText[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const found: ShownText[] = [];

  function judge({ start }: Node, text: string, isShown: boolean): void {
    if (!LETTER.test(text) || !(isShown || LIKE_A_TEXT.test(text))) return;
    const line = source.slice(0, start).split('\n').length;
    found.push({ line, text: text.replaceAll(GAP, '…').replaceAll(/\s+/g, ' ').trim() });
  }

  /** `isShown`: people see whatever it evaluates to. */
  function visit(value: unknown, isShown = false): void {
    if (Array.isArray(value)) for (const one of value) visit(one, isShown);
    if (!isNode(value)) return;
    const node = value;
    switch (node.type) {
      case 'Literal':
      case 'JSXText':
        if (typeof node.value === 'string') judge(node, node.value, isShown);
        break;
      case 'TemplateLiteral':
        judge(node, cookedOf(node).join(GAP), isShown);
        visit(node.expressions, isShown);
        break;
      case 'JSXElement':
      case 'JSXFragment':
        visit(node.openingElement);
        visit(node.children, true);
        break;
      case 'JSXAttribute': {
        const name = nameOf(node.name);
        if (!SILENT.test(name)) visit(node.value, SPOKEN.test(name));
        break;
      }
      case 'Property':
        visit(node.value, SPOKEN.test(nameOf(node.key)));
        break;
      case 'JSXExpressionContainer':
        visit(node.expression, isShown);
        break;
      case 'ConditionalExpression':
        visit(node.test);
        visit([node.consequent, node.alternate], isShown);
        break;
      case 'LogicalExpression':
        visit([node.left, node.right], isShown);
        break;
      case 'BinaryExpression':
        // "Enter" is compared, not shown.
        if (node.operator === '+') visit([node.left, node.right], isShown);
        break;
      case 'CallExpression':
      case 'NewExpression':
        visit(node.callee);
        if (!isForPrograms(node.callee)) visit(node.arguments);
        break;
      case 'ImportDeclaration':
        break;
      default:
        if (node.type.startsWith('TS') && !TYPED_EXPRESSION.test(node.type)) break;
        for (const child of Object.values(node)) visit(child);
    }
  }

  visit(program);
  return found;
}

/** Whether what is called takes a selector, or makes an error that a programmer reads. */
function isForPrograms(callee: unknown): boolean {
  if (!isNode(callee)) return false;
  return callee.type === 'MemberExpression'
    ? SELECTING.test(nameOf(callee.property))
    : nameOf(callee) === 'Error';
}

function cookedOf(template: Node): string[] {
  return (template.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
}

/** `label` of `label`, and of `'label'`. */
function nameOf(value: unknown): string {
  if (!isNode(value)) return '';
  return String(value.name ?? value.value ?? '');
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}
