package files

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/goblinlab/goblinlab/internal/fault"
)

// Bounds of previews.
const (
	MaxImage    = 32 << 20
	maxNotebook = 8 << 20
	maxRows     = 1000
	maxColumns  = 200
	maxCell     = 2000
	maxOutput   = 1 << 20 // of all outputs of a notebook together, beside images
	maxPictures = 8 << 20
)

// Text is the beginning of a file as text.
type Text struct {
	Text      string `json:"text"`
	Encoding  string `json:"encoding"`
	Binary    bool   `json:"binary"` // no text; Text is empty
	Truncated bool   `json:"truncated"`
	Editable  bool   `json:"editable"` // whole and UTF-8: what is written back is the file
	Entry     Entry  `json:"entry"`
}

// Text shows the beginning of a file; encoding is a name as browsers know them, empty to guess.
func (v *Volume) Text(p, encoding string) (Text, error) {
	data, e, whole, err := v.head(p, MaxText)
	if err != nil {
		return Text{}, err
	}
	text, name, binary, err := decode(data, encoding, whole)
	if err != nil {
		return Text{}, err
	}
	return Text{Text: text, Encoding: name, Binary: binary, Truncated: !whole, Entry: e,
		Editable: whole && !binary && name == utf8Name && utf8.Valid(data)}, nil
}

// Table is the beginning of a file of rows.
type Table struct {
	Rows      [][]string `json:"rows"`
	Columns   int        `json:"columns"` // of the widest row, beyond what is shown, too
	Delimiter string     `json:"delimiter"`
	Encoding  string     `json:"encoding"`
	Truncated bool       `json:"truncated"`
	Entry     Entry      `json:"entry"`
}

// Table shows rows of separated values; the delimiter is guessed when empty.
func (v *Volume) Table(p, encoding, delimiter string, rows int) (Table, error) {
	if rows <= 0 || rows > maxRows {
		rows = maxRows
	}
	if delimiter != "" && (utf8.RuneCountInString(delimiter) != 1 || strings.ContainsAny(delimiter, "\"\r\n\uFFFD")) {
		return Table{}, fault.New(fault.InvalidArgument, "files.delimiter", nil)
	}
	data, e, whole, err := v.head(p, MaxText)
	if err != nil {
		return Table{}, err
	}
	text, name, binary, err := decode(data, encoding, whole)
	if err != nil {
		return Table{}, err
	}
	if binary {
		return Table{}, refuse("files.not-text", p)
	}
	if !whole { // the last line may be cut
		if i := strings.LastIndexByte(text, '\n'); i >= 0 {
			text = text[:i+1]
		}
	}
	if delimiter == "" {
		delimiter = guessDelimiter(text, p)
	}
	t := Table{Rows: [][]string{}, Delimiter: delimiter, Encoding: name, Truncated: !whole, Entry: e}
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, _ = utf8.DecodeRuneInString(delimiter)
	r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = true, -1, true
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil || len(t.Rows) == rows {
			t.Truncated = true
			return t, nil
		}
		t.Columns = max(t.Columns, len(row))
		row = row[:min(len(row), maxColumns)]
		out := make([]string, len(row))
		for i, c := range row {
			out[i] = strings.Clone(short(c, maxCell))
		}
		t.Rows = append(t.Rows, out)
	}
}

// guessDelimiter takes the sign that the first lines hold most evenly.
func guessDelimiter(text, p string) string {
	if strings.EqualFold(path.Ext(p), ".tsv") {
		return "\t"
	}
	lines := strings.SplitN(text, "\n", 11)
	lines = lines[:min(len(lines), 10)]
	best, most := ",", 0
	for _, d := range []string{",", "\t", ";", "|"} {
		least := -1
		for _, l := range lines {
			if l = strings.TrimSpace(l); l == "" {
				continue
			}
			if n := strings.Count(l, d); least < 0 || n < least {
				least = n
			}
		}
		if least > most {
			best, most = d, least
		}
	}
	return best
}

func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// Image opens an image that a browser shows, with its type by its content.
func (v *Volume) Image(p string) (io.ReadSeekCloser, Entry, string, error) {
	f, e, err := v.File(p)
	if err != nil {
		return nil, e, "", err
	}
	if e.Size > MaxImage {
		f.Close()
		return nil, e, "", fault.New(fault.FailedPrecondition, "files.image-large", fault.Args{"path": clip(p), "limit": MaxImage >> 20})
	}
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		f.Close()
		return nil, e, "", explain(err, p)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		f.Close()
		return nil, e, "", explain(err, p)
	}
	kind := imageType(head[:n])
	if kind == "" {
		f.Close()
		return nil, e, "", refuse("files.not-image", p)
	}
	return f, e, kind, nil
}

func imageType(head []byte) string {
	if len(head) >= 12 && string(head[4:8]) == "ftyp" && (string(head[8:12]) == "avif" || string(head[8:12]) == "avis") {
		return "image/avif"
	}
	switch t := http.DetectContentType(head); t {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/x-icon":
		return t
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n")
	if bytes.HasPrefix(text, []byte("<svg")) || bytes.HasPrefix(text, []byte("<?xml")) && bytes.Contains(text, []byte("<svg")) ||
		bytes.HasPrefix(text, []byte("<!--")) && bytes.Contains(text, []byte("<svg")) {
		return "image/svg+xml"
	}
	return ""
}

// Notebook is a Jupyter notebook as data.
type Notebook struct {
	Language  string `json:"language"`
	Cells     []Cell `json:"cells"`
	Truncated bool   `json:"truncated"` // outputs were left out
	Entry     Entry  `json:"entry"`
}

// Cell of a notebook.
type Cell struct {
	Kind    string   `json:"kind"` // code, markdown or raw
	Source  string   `json:"source"`
	Count   *int     `json:"count"`
	Outputs []Output `json:"outputs"`
}

// Output of a cell. Nothing of it may be put into a page as it is.
type Output struct {
	Kind string `json:"kind"` // text, error, image, html or other
	Type string `json:"type"`
	Text string `json:"text"` // of an image base64
}

// lines is a text that notebooks write whole or in lines.
type lines string

func (l *lines) UnmarshalJSON(b []byte) error {
	var one string
	if err := json.Unmarshal(b, &one); err == nil {
		*l = lines(one)
		return nil
	}
	var many []string
	if err := json.Unmarshal(b, &many); err != nil {
		*l = "" // JSON of some other kind, as application/json outputs have
		return nil
	}
	*l = lines(strings.Join(many, ""))
	return nil
}

type rawNotebook struct {
	Metadata struct {
		Kernel   struct{ Language string } `json:"kernelspec"`
		Language struct{ Name string }     `json:"language_info"`
	}
	Cells *[]struct {
		Kind    string `json:"cell_type"`
		Source  lines
		Count   *int `json:"execution_count"`
		Outputs []rawOutput
	}
}

type rawOutput struct {
	Kind      string `json:"output_type"`
	Name      string
	Text      lines
	Data      map[string]lines
	EName     string `json:"ename"`
	EValue    string `json:"evalue"`
	Traceback []string
}

// Notebook reads a notebook of format 4.
func (v *Volume) Notebook(p string) (Notebook, error) {
	data, e, whole, err := v.head(p, maxNotebook)
	if err != nil {
		return Notebook{}, err
	}
	if !whole {
		return Notebook{}, fault.New(fault.FailedPrecondition, "files.notebook-large", fault.Args{"path": clip(p), "limit": maxNotebook >> 20})
	}
	var raw rawNotebook
	if err := json.Unmarshal(data, &raw); err != nil || raw.Cells == nil {
		return Notebook{}, refuse("files.not-notebook", p)
	}
	n := Notebook{Language: raw.Metadata.Language.Name, Cells: []Cell{}, Entry: e}
	if n.Language == "" {
		n.Language = raw.Metadata.Kernel.Language
	}
	text, pictures := maxOutput, maxPictures
	for _, c := range *raw.Cells {
		cell := Cell{Kind: c.Kind, Source: string(c.Source), Count: c.Count, Outputs: []Output{}}
		if cell.Kind != "code" && cell.Kind != "markdown" {
			cell.Kind = "raw"
		}
		for _, o := range c.Outputs {
			out := o.shown()
			left := &text
			if out.Kind == "image" {
				left = &pictures
			}
			if len(out.Text) > *left {
				n.Truncated = true
				if out.Kind == "image" {
					continue
				}
				out.Text = short(out.Text, *left)
			}
			*left = max(0, *left-len(out.Text))
			cell.Outputs = append(cell.Outputs, out)
		}
		n.Cells = append(n.Cells, cell)
	}
	return n, nil
}

// shown picks what of an output is shown best.
func (o rawOutput) shown() Output {
	switch o.Kind {
	case "stream":
		return Output{"text", "text/plain", string(o.Text)}
	case "error":
		if len(o.Traceback) > 0 {
			return Output{"error", "text/plain", strings.Join(o.Traceback, "\n")}
		}
		return Output{"error", "text/plain", o.EName + ": " + o.EValue}
	}
	for _, t := range []string{"image/png", "image/jpeg", "image/gif"} {
		if d := o.Data[t]; d != "" {
			return Output{"image", t, strings.ReplaceAll(string(d), "\n", "")}
		}
	}
	if d := o.Data["text/html"]; d != "" {
		return Output{"html", "text/html", string(d)}
	}
	for _, t := range []string{"text/markdown", "text/latex", "text/plain"} {
		if d := o.Data[t]; d != "" {
			return Output{"text", t, string(d)}
		}
	}
	for t := range o.Data {
		return Output{"other", t, ""}
	}
	return Output{"other", "", ""}
}
