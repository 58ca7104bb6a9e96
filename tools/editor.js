// The code editor of "Your own policy", bundled by tools/assets.py and loaded when it is asked for.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { classHighlighter } from "@lezer/highlight";
import { Decoration, EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";

const markLine = StateEffect.define();
const marked = StateField.define({
  create: () => Decoration.none,
  update(marks, change) {
    let now = change.docChanged ? Decoration.none : marks;
    for (const effect of change.effects) {
      if (!effect.is(markLine)) continue;
      const { value: line } = effect, { doc } = change.state;
      const there = line >= 1 && line <= doc.lines;
      now = there ? Decoration.set([Decoration.line({ class: "fl-wrong" }).range(doc.line(line).from)]) : Decoration.none;
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// An editor in `parent`; `changed` is called when the reader has typed. Tab indents, and after
// Escape it leaves, as CodeMirror has it.
window.flEditor = (parent, { text, label, described, changed, run }) => {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), highlightActiveLine(),
        indentUnit.of("    "), python(), EditorView.lineWrapping, syntaxHighlighting(classHighlighter), marked,
        keymap.of([{ key: "Mod-Enter", run: () => (run(), true) }, indentWithTab, ...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": described, spellcheck: "false" }),
        EditorView.updateListener.of((update) => update.docChanged && changed()),
      ],
    }),
  });
  return {
    read: () => view.state.doc.toString(),
    write: (now) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: now } }),
    mark: (line) => view.dispatch({ effects: markLine.of(line) }),
    goTo: (line) => {
      view.dispatch({ selection: { anchor: view.state.doc.line(line).from }, scrollIntoView: true });
      view.focus();
    },
    close: () => view.destroy(),
  };
};
